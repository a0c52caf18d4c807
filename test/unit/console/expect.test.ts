import { assert, describe, it } from "@effect/vitest"
import {
  expecting,
  expectOf,
  kinds,
  type Line,
  linesOf,
  missingIn,
  sentenceOf,
  wordsOf
} from "../../../apps/console/author/ExpectModel.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf } from "../../support/browser.ts"

const lines: ReadonlyArray<Line> = [
  { kind: "address", selector: "", text: "/orders" },
  { kind: "page", selector: "", text: "Thank you" },
  { kind: "text", selector: "//h1", text: "Paid" },
  { kind: "value", selector: "//input[@id='a']", text: "12.50" },
  { kind: "visible", selector: "//p[@id='done']", text: "" },
  { kind: "absent", selector: "css=.error", text: "" },
  { kind: "request", selector: "", text: "/api/orders" }
]

describe("the form for what a step expects", () => {
  it("makes what can be saved, without a warning, and reads it again", () => {
    assert.sameMembers(
      lines.map(({ kind }) => kind),
      Object.keys(kinds)
    )
    const expect = expectOf(lines)
    const parameters = { selector: "//a[@id='x']", expect }
    const { edges, nodes } = graphOf("https://shop.example/", [{ action: "CLICK", parameters }])
    const saved = SaveBody.read({ name: "w", nodes, edges, input_schema: {}, output_schema: {}, max_retries: 0 }, 0)
    assert.deepStrictEqual(saved.problems, [])
    assert.deepStrictEqual(SaveBody.warnings(saved.content), [])
    assert.deepStrictEqual(linesOf(expect), lines)
  })

  it("has no lines without an expectation, and does not show what says more than lines", () => {
    assert.deepStrictEqual([linesOf(null), linesOf(undefined), expectOf([])], [[], [], null])
    const more = [
      { match: "any", conditions: [{ type: "text", contains: "x" }] },
      { conditions: [{ type: "text", contains: "x" }], wait_time: 5 },
      { conditions: [{ type: "text", matches: "x" }] },
      { conditions: [{ type: "element", selector: "//a", exactly: 2 }] },
      { conditions: [{ type: "variable", field: "context.a", operator: "IS_NULL" }] },
      { conditions: [{ type: "file" }] }
    ]
    for (const expect of more) assert.isNull(linesOf(expect), JSON.stringify(expect))
  })

  it("names what is missing in a line", () => {
    const without = (line: Line) => missingIn({ ...line, selector: " ", text: " " })
    assert.deepStrictEqual(lines.map(missingIn), Array(lines.length).fill(null))
    assert.deepStrictEqual(lines.map(without), ["text", "text", ...Array(4).fill("selector"), "text"])
  })

  it("is said to the conversation, and in a few words", () => {
    assert.strictEqual(expecting("1", null), "expect 1 = none")
    assert.strictEqual(
      expecting("1", expectOf(lines.slice(0, 1))),
      'expect 1 = {"conditions":[{"type":"address","contains":"/orders"}]}'
    )
    assert.deepStrictEqual([null, expectOf(lines.slice(0, 1)), expectOf(lines)].map(wordsOf), [
      "",
      "1 expectation",
      "7 expectations"
    ])
  })

  it("is said as the object of a sentence", () => {
    const said = (...conditions: ReadonlyArray<object>) => sentenceOf({ conditions })
    assert.strictEqual(said({ type: "address", contains: "/orders" }), "that it leads to /orders")
    assert.strictEqual(said({ type: "element", selector: "//tr" }), "at least one //tr")
    assert.strictEqual(said({ type: "text", selector: "//h1", contains: "Sent" }), "“Sent” in //h1")
    assert.isNull(said({ type: "file" }))
  })
})
