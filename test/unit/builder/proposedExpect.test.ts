import { assert, it } from "@effect/vitest"
import * as ProposedExpect from "../../../core/builder/ProposedExpect.ts"
import type { Node } from "../../../core/workflow/language/graph/Graph.ts"

const node = (action: string, more: object = {}) =>
  ({ id: "1", name: "n", action, parameters: { selector: "//a", ...more } }) as unknown as Node
const shop = "https://shop.example"
const some = { conditions: [{ type: "text", contains: "x" }] }

it.each([
  ["another path", node("CLICK"), "/login", "/orders?page=2", "/orders"],
  ["a path without what differs from run to run", node("CLICK"), "/orders", "/invoices/A-17/lines", "/invoices/"],
  ["a path that is sent by a field", node("INPUT_TEXT"), "/search", "/results/list", "/results/list"],
  ["no other path", node("CLICK"), "/orders", "/orders?page=2", null],
  ["a part of the path before", node("CLICK"), "/orders/new", "/orders", null],
  ["the root", node("CLICK"), "/login", "/", null],
  ["a path of what differs alone", node("CLICK"), "/login", "/17", null],
  ["another path, which is opened on purpose", node("NAVIGATE"), "/login", "/orders", null],
  ["another path of a step that expects something", node("CLICK", { expect: some }), "/login", "/orders", null]
] as const)("a step that leads to %s", (_name, step, before, after, contains) => {
  assert.deepStrictEqual(
    ProposedExpect.of(step, `${shop}${before}`, `${shop}${after}`),
    contains === null ? null : { conditions: [{ type: "address", contains }] }
  )
})

it("a step that leads to no address of the web", () => {
  assert.isNull(ProposedExpect.of(node("CLICK"), `${shop}/a`, "about:blank"))
})
