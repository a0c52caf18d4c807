/** The content of versions as the database keeps it is read once. */
import { assert, it } from "@effect/vitest"
import * as Workflows from "../../adapters/postgres/tables/Workflows.ts"
import * as Contents from "../../adapters/postgres/workflow/Contents.ts"
import * as Settings from "../../core/workflow/Settings.ts"
import { graph } from "../support/fixtures.ts"

const row = (version_id: string, settings: Readonly<Record<string, unknown>> = {}): Workflows.ContentRow => ({
  version_id: `00000000-0000-4000-8000-00000000000${version_id}`,
  nodes: JSON.stringify(graph().nodes),
  edges: JSON.stringify(graph().edges),
  input_schema: "{}",
  output_schema: "{}",
  vault_schema: "{}",
  max_retries: 0,
  settings: JSON.stringify(settings)
})

const size = JSON.stringify(graph().nodes).length + JSON.stringify(graph().edges).length + 8

it("the content of a version is read once, until others were asked for since", () => {
  const read = Contents.make(Workflows.toContent, 2 * size)
  const [first, second] = [read(row("1")), read(row("2"))]
  assert.strictEqual(read(row("1")), first)
  assert.notStrictEqual(read(row("3")), first)
  assert.strictEqual(read(row("1")), first)
  const again = read(row("2"))
  assert.notStrictEqual(again, second)
  assert.deepStrictEqual(again, second)
})

it("content that is larger than all that may be kept is read each time", () => {
  const read = Contents.make(Workflows.toContent, size - 1)
  assert.deepStrictEqual(read(row("1")), read(row("1")))
  assert.notStrictEqual(read(row("1")), read(row("1")))
})

it("stored settings have the values that they may have, and defaults for all others", () => {
  const { settings } = Contents.make(
    Workflows.toContent,
    0
  )(row("1", { video_record_session: "yes", allow_requeue: false, popup_xpaths: ["//a", 5], folder_path: "a/b", x: 1 }))
  assert.deepStrictEqual(settings, { allow_requeue: false, folder_path: "a/b" })
  const complete = Settings.complete(settings)
  assert.deepStrictEqual(
    [complete.allow_requeue, complete.video_record_session, complete.popup_xpaths, complete.proxy_value],
    [false, false, [], null]
  )
  assert.strictEqual(Settings.folderOf(settings), "a/b")
})
