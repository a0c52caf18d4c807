/** The content of versions is read once from their rows. */
import { assert, it } from "@effect/vitest"
import * as Contents from "../../adapters/postgres/workflow/Contents.ts"
import type { Content } from "../../core/workflow/Workflow.ts"
import { graph } from "../support/fixtures.ts"

const content: Content = {
  ...graph(),
  input_schema: {},
  output_schema: {},
  vault_schema: {},
  max_retries: 0,
  settings: {}
}
const of = (most: number) =>
  Contents.make<{ readonly version_id: string }>(
    most,
    ({ version_id }) => ({ ...content, settings: { folder_path: version_id } }),
    () => 10
  )
const row = (version_id: string) => ({ version_id })

it("the content of a version is read once, until others were asked for since", () => {
  const read = of(20)
  const [first, second] = [read(row("1")), read(row("2"))]
  assert.strictEqual(read(row("1")), first)
  assert.notStrictEqual(read(row("3")), first)
  assert.strictEqual(read(row("1")), first)
  const again = read(row("2"))
  assert.notStrictEqual(again, second)
  assert.deepStrictEqual(again, second)
})

it("content that is larger than all that may be kept is read each time", () => {
  const read = of(9)
  assert.deepStrictEqual(read(row("1")), read(row("1")))
  assert.notStrictEqual(read(row("1")), read(row("1")))
})
