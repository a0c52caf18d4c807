import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { written } from "../../docs/ApiPage.ts"
import { root } from "../../support/Source.ts"

const page = readFileSync(join(root, "docs/api.md"), "utf8")

it("docs/api.md has what the docstrings say; if not, run node test/docs/writeApi.ts", () => {
  assert.strictEqual(written(), page)
})

it("docs/api.md describes the names of the entries, and says of every other entry what it is", () => {
  for (const name of [
    "validate",
    "isOpen",
    "nextOpenAt",
    "setWindow",
    "submit",
    "Refused",
    "movableClock",
    "simulate"
  ]) {
    assert.match(page, new RegExp(`^(### |    )?${name}\\b`, "m"), name)
  }
  assert.deepStrictEqual(page.match(/^\| `[^`]+` \| {1,2}\|$/gm) ?? [], [])
})
