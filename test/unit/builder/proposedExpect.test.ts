import { assert, it } from "@effect/vitest"
import { nothing } from "../../../core/browser/element/ElementState.ts"
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
    ProposedExpect.ofAddress(step, `${shop}${before}`, `${shop}${after}`),
    contains === null ? null : { conditions: [{ type: "address", contains }] }
  )
})

it("a step that leads to no address of the web", () => {
  assert.isNull(ProposedExpect.ofAddress(node("CLICK"), `${shop}/a`, "about:blank"))
})

const model = { properties: { rows: { type: "array", path: "//tbody/tr" }, total: { type: "number", path: "//b" } } }

it.each([
  ["rows of a list", node("EXTRACT_DATAMODEL", { selector: null, extract_data_model: model }), "//tbody/tr"],
  ["rows of a list that it waits for already", node("EXTRACT_DATAMODEL", { extract_data_model: model }), undefined]
] as const)("a step that read %s expects one, and waits for it", (_name, step, selector) => {
  const expect = { conditions: [{ type: "element", selector: "//tbody/tr" }] }
  assert.deepStrictEqual(ProposedExpect.ofRows(step, { rows: [{ id: 1 }], total: 1 }), {
    ...(selector === undefined ? {} : { selector }),
    expect
  })
  assert.isNull(ProposedExpect.ofRows(step, { rows: [], total: 1 }), "no row")
})

it("a step that read no list, or expects something, expects no rows", () => {
  const single = { properties: { total: { type: "number", path: "//b" } } }
  assert.isNull(ProposedExpect.ofRows(node("EXTRACT_DATAMODEL", { extract_data_model: single }), { total: 1 }))
  const expecting = node("EXTRACT_DATAMODEL", { extract_data_model: model, expect: some })
  assert.isNull(ProposedExpect.ofRows(expecting, { rows: [1] }))
})

const says = (...texts: ReadonlyArray<string>) =>
  ProposedExpect.sayings.map((_, at) => ({ ...nothing, matched: 1, visible: 1, text: texts[at] ?? "" }))

it.each([
  ["a text that appeared", says(), says("Your order was sent"), "Your order was sent"],
  ["a text up to what differs from run to run", says("Cart"), says("Order 4711 was sent"), "Order"],
  ["a text of a number", says(), says("4711"), null],
  ["the same text", says("Cart"), says("Cart"), null],
  ["a part of the text before", says("Cart of Ann"), says("Cart"), null],
  ["an expression", says(), says("{{total}} sent"), null]
] as const)("%s after a step", (_name, before, after, contains) => {
  assert.deepStrictEqual(
    ProposedExpect.ofText(before, after),
    contains === null ? null : { conditions: [{ type: "text", selector: "//*[@role='status']", contains }] }
  )
})
