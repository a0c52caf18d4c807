import { assert, it } from "@effect/vitest"
import { inPageWords } from "../../../apps/console/data/PageWords.ts"
import { VersionConflict } from "../../../core/workflow/Workflows.ts"

it("a message of the service names no field or command that the page has not", () => {
  const conflict = new VersionConflict({
    latestVersionId: "v",
    latestVersionNumber: 3,
    latestCreatedBy: "u",
    latestCreatedAt: 0,
    latestVersionNote: null
  })
  assert.strictEqual(inPageWords(conflict.message), "Cannot save over version 3: it was saved after you began")
  const draft = "It was not carried out now; use replay to try it"
  assert.strictEqual(inPageWords(draft), "It was not carried out now; press Run all again to try it")
  assert.strictEqual(inPageWords("Anything else"), "Anything else")
})
