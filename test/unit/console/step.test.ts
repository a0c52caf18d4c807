import { assert, describe, it } from "@effect/vitest"
import * as Column from "../../../apps/console/author/Column.ts"
import * as StepModel from "../../../apps/console/author/StepModel.ts"

type Position = Parameters<typeof StepModel.runTo>[0]

const node = (id: string, action: string, parameters: object = {}): Column.Node => ({
  id,
  name: id,
  action,
  parameters
})

/** START, a step, a loop of one step, and a last step. */
const nodes = [
  node("start", "START"),
  node("type", "INPUT_TEXT", { selector: "#user", text: "me" }),
  node("loop", "LOOP"),
  node("click", "CLICK", { selector: "//a" }),
  node("read", "EXTRACT_DATAMODEL"),
  node("end", "END")
]
const edges = {
  start: { to: "type" },
  type: { to: "loop" },
  loop: { loop_not_done: "click", loop_done: "read" },
  click: { to: "loop" },
  read: { to: "end" }
}
const draft = { nodes, edges } as never
const lines = Column.linesOf(Column.columnOf({ nodes, edges }))

const position = (
  after: string,
  way: Position["cursor"]["way"],
  steps: Position["progress"]["steps"],
  last: string | null
): Position => ({ cursor: { after, way }, progress: { steps, last } })

const typed = position("type", "to", { start: "done", type: "done" }, "type")

describe("the place of the next step", () => {
  it.each([
    ["the page is as it left it", typed, true, "The next step goes here; the page is as after step 2"],
    [
      "another step was done since",
      { ...typed, progress: { steps: {}, last: "read" } },
      true,
      "The next step goes here, but the page is as after step 5"
    ],
    [
      "the step before was skipped",
      position("type", "to", { type: "skipped" }, "start"),
      true,
      "The next step goes here; the page is as after step 1"
    ],
    [
      "the last step was deleted",
      { ...typed, progress: { steps: {}, last: "gone" } },
      true,
      "The next step goes here, but the page is as after a step that was deleted"
    ],
    ["no page is open", typed, false, "The next step goes here"]
  ])("says how the page is where %s", (_name, one, hasPage, words) => {
    assert.strictEqual(StepModel.cursorWords(one, lines, hasPage), words)
  })

  it.each([
    ["a later step", typed, "read", "continue read"],
    ["an earlier step", typed, "type", "replay type"],
    [
      "a later step that was done on this page",
      { ...typed, progress: { steps: { read: "done" as const }, last: "type" } },
      "read",
      "replay read"
    ],
    [
      "a later step of a page that is elsewhere",
      { ...typed, progress: { steps: {}, last: "read" } },
      "read",
      "replay read"
    ]
  ])("is brought to %s from here where that leads there, and else from the start", (_name, one, to, message) => {
    assert.strictEqual(StepModel.runTo(one, lines, to), message)
  })

  it.each([
    ["type", { after: "start", way: "to" }],
    ["click", { after: "loop", way: "loop_not_done" }],
    ["read", { after: "loop", way: "loop_done" }],
    ["start", null]
  ])("before %s is on the edge that leads to it", (id, cursor) => {
    assert.deepStrictEqual(StepModel.before(draft, id), cursor)
  })
})

describe("where a step points", () => {
  const model = (properties: object) => ({ extract_data_model: { type: "object", properties } })
  it.each([
    ["its selector", "CLICK", { selector: "//a", wait_time: 5 }, "//a", { selector: "//b", wait_time: 5 }],
    [
      "the element of a condition",
      "BOOL_CONDITION",
      { comparison_value_1: "<<xpath://a>>" },
      "//a",
      { comparison_value_1: "<<xpath://b>>" }
    ],
    [
      "the value that it reads",
      "EXTRACT_DATAMODEL",
      model({ title: { type: "string", path: "//a" } }),
      "//a",
      model({ title: { type: "string", path: "//b" } })
    ]
  ])("is %s, in whose place another one is put", (_name, action, parameters, selector, after) => {
    const point = StepModel.pointOf(node("a", action, parameters))
    assert.strictEqual(point?.selector, selector)
    assert.deepStrictEqual(point?.at("//b").parameters, after)
  })

  it.each([
    ["an address", "NAVIGATE", { url: "https://a.example" }],
    ["a list", "EXTRACT_DATAMODEL", model({ rows: { type: "array", path: "//tr" } })],
    ["two values", "EXTRACT_DATAMODEL", model({ a: { path: "//a" }, b: { path: "//b" } })]
  ])("is nowhere for %s", (_name, action, parameters) => {
    assert.isNull(StepModel.pointOf(node("a", action, parameters)))
  })
})

describe("the form of a step", () => {
  it("has what its action needs and what it has, and offers the rest", () => {
    const { more, schema, values } = StepModel.formOf(
      node("a", "CLICK", { selector: "//a", wait_time: "{{context.wait}}", expect: { conditions: [] }, checked: null }),
      ["click_type"]
    )
    assert.deepStrictEqual(values, { selector: "//a", wait_time: "{{context.wait}}" })
    assert.deepStrictEqual(Object.keys(schema.properties), ["selector", "wait_time", "click_type"])
    // An expression stands in place of a number.
    assert.deepStrictEqual(schema.properties.wait_time, { type: "string" })
    assert.include((schema.properties.click_type as { readonly enum: ReadonlyArray<string> }).enum, "double_click")
    assert.include(more, "checked")
    assert.deepStrictEqual(StepModel.formOf(node("a", "DELAY"), []).schema.required, ["delay_time"])
  })

  it("keeps what it expects, which has a form of its own", () => {
    const expect = { conditions: [] }
    const changed = StepModel.withParameters(node("a", "CLICK", { selector: "//a", expect }), { selector: "//b" })
    assert.deepStrictEqual(changed.parameters, { selector: "//b", expect })
  })
})

it("asks for what a step acts on in the condition that it is put in, where that can be asked for", () => {
  const asks = (step: Column.Node) =>
    (StepModel.wrapping("BOOL_CONDITION", "c", "Is it there?", step, []).parameters as Record<string, unknown>)
      .comparison_value_1
  assert.strictEqual(asks(node("a", "CLICK", { selector: "//button" })), "<<xpath://button>>")
  assert.strictEqual(asks(node("a", "CLICK", { selector: "css=button" })), "<<xpath:/html>>")
  assert.strictEqual(asks(node("a", "CLICK", { selector: "(//tr)[{{context.runtime.n}}]" })), "<<xpath:/html>>")
  assert.strictEqual(asks(node("a", "DELAY", { delay_time: 1 })), "<<xpath:/html>>")
})
