import { assert, describe, it } from "@effect/vitest"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf, type Step } from "../../support/browser.ts"

const at = "nodes[1].parameters.expect"

const read = (...steps: ReadonlyArray<Step>) => {
  const { edges, nodes } = graphOf("https://shop.example/", steps)
  return SaveBody.read({ name: "w", nodes, edges, input_schema: {}, output_schema: {}, max_retries: 0 }, 0)
}
const click = (expect: unknown): Step => ({ action: "CLICK", parameters: { selector: "//a[@id='x']", expect } })
const all = (...conditions: ReadonlyArray<unknown>) => ({ conditions })
const any = (...conditions: ReadonlyArray<unknown>) => ({ match: "any", conditions })
const element = (more: object, selector = "//p[@id='p']") => ({ type: "element", selector, ...more })

/** One condition of each type, with all that it may have. */
const valid = [
  { type: "address", contains: "/orders/{{context.inputs.id}}" },
  { type: "element", selector: "//p[@id='{{context.inputs.id}}']" },
  element({ state: "present", at_least: 1, at_most: 3 }),
  element({ state: "absent" }, "css=.error"),
  element({ exactly: 0 }, "role=alert"),
  { type: "text", contains: "Thank you" },
  { type: "text", selector: "//h1", equals: "{{context.inputs.title}}" },
  { type: "value", selector: "//input[@id='a']", matches: "^\\d+$" },
  { type: "request", url: "/api/orders", method: "POST", status: "2xx" },
  { type: "request", url: "regex:/orders/\\d+$", status: 201 },
  { type: "variable", field: "context.inputs.a", operator: "EQUAL", value: "{{context.inputs.b}}" }
]

it("an expectation may have conditions of each type, on every action", () => {
  const steps: ReadonlyArray<Step> = [
    click({ match: "all", wait_time: 1_000, conditions: valid }),
    click(null),
    { action: "DELAY", parameters: { delay_time: 0, expect: any(...valid) } },
    {
      action: "LOOP",
      parameters: {
        variable_over: 2,
        variable_current_item: "x",
        variable_current_index: "i",
        expect: all({ type: "text", contains: "x" })
      },
      to: { body: 2, done: 5 }
    },
    { action: "FILE_DOWNLOAD", parameters: { metadata: {}, expect: all({ type: "file", name: "*.pdf" }) } }
  ]
  const { content, problems } = read(...steps)
  assert.deepStrictEqual(problems, [])
  assert.deepStrictEqual(SaveBody.warnings(content), [])
  const { edges, nodes } = graphOf("https://shop.example/", steps)
  const ending = nodes.map((node) =>
    node.action === "END" ? { ...node, parameters: { expect: all({ type: "text", contains: "Done" }) } } : node
  )
  const whole = { name: "w", nodes: ending, edges, input_schema: {}, output_schema: {}, max_retries: 0 }
  assert.deepStrictEqual(SaveBody.read(whole, 0).problems, [])
})

describe("a mistake in an expectation is reported at its path", () => {
  it.each<readonly [string, unknown, ReadonlyArray<string>, string]>([
    ["a list", [{ type: "address", contains: "x" }], [at], "an object with conditions"],
    ["no condition", all(), [`${at}.conditions`], "at least 1"],
    ["too many", all(...Array.from({ length: 21 }, () => valid[0])), [`${at}.conditions`], "at most 20"],
    ["no type", all({ contains: "x" }), [`${at}.conditions[0]`], "whose type is address, element"],
    ["an unknown type", all({ type: "adress", contains: "x" }), [`${at}.conditions[0]`], "whose type is address"],
    ["an unknown match", { match: "some", conditions: valid }, [`${at}.match`], '"any"'],
    ["a negative wait", { wait_time: -1, conditions: valid }, [`${at}.wait_time`], "between 0 and 600000"],
    ["no comparison", all({ type: "address" }), [`${at}.conditions[0]`], "exactly one of contains, equals, matches"],
    [
      "two comparisons",
      all({ type: "text", contains: "a", equals: "b" }),
      [`${at}.conditions[0]`],
      "contains and equals"
    ],
    [
      "a pattern without a bound",
      all({ type: "text", matches: "(a+)+$" }),
      [`${at}.conditions[0].matches`],
      "exponential"
    ],
    [
      "a pattern with an expression",
      all({ type: "text", matches: "^{{context.inputs.a}}$" }),
      [`${at}.conditions[0].matches`],
      "without expressions"
    ],
    [
      "an address without a bound",
      all({ type: "request", url: "regex:(a+)+$" }),
      [`${at}.conditions[0].url`],
      "exponential"
    ],
    ["a status of no class", all({ type: "request", url: "/a", status: "20x" }), [`${at}.conditions[0].status`], "2xx"],
    [
      "a selector that cannot be read",
      all(element({}, "//a[")),
      [`${at}.conditions[0].selector`],
      "Cannot read the XPath"
    ],
    [
      "a number of what is absent",
      all(element({ state: "absent", exactly: 1 })),
      [`${at}.conditions[0].exactly`],
      "no number"
    ],
    ["two numbers", all(element({ exactly: 1, at_least: 1 })), [`${at}.conditions[0].exactly`], "not both"],
    [
      "a variable that nothing sets",
      all({ type: "variable", field: "context.total", operator: "IS_NOT_NULL" }),
      [`${at}.conditions[0].field`],
      'reads "context.total", which no node before it sets'
    ],
    [
      "a text with a variable that nothing sets",
      all({ type: "text", contains: "{{context.total}}" }),
      [`${at}.conditions[0].contains`],
      'reads "context.total"'
    ],
    [
      "everything at once",
      { match: "x", conditions: [{ type: "address" }, { type: "request", url: "" }, element({}, "//b[")] },
      [`${at}.match`, `${at}.conditions[0]`, `${at}.conditions[1].url`],
      ""
    ]
  ])("%s", (_name, expect, paths, message) => {
    const { problems } = read(click(expect))
    assert.deepStrictEqual(
      problems.map(({ path }) => path),
      paths
    )
    assert.include(problems.map((problem) => problem.message).join("\n"), message)
  })

  it("and a variable that the node itself sets is none", () => {
    const extract = (name: string): Step => ({
      action: "EXTRACT_DATAMODEL",
      parameters: {
        extract_data_model: { type: "object", properties: { [name]: { type: "number", path: "//b" } } },
        expect: all({ type: "variable", field: "context.total", operator: "IS_NOT_NULL" })
      }
    })
    assert.deepStrictEqual(read(extract("total")).problems, [])
    assert.deepStrictEqual(
      read(extract("sum")).problems.map(({ path }) => path),
      [`${at}.conditions[0].field`]
    )
  })
})

describe("a saved workflow is warned of an expectation", () => {
  it.each<readonly [string, unknown, string, string]>([
    ["with an empty text", all({ type: "text", contains: "" }), "conditions[0]", "cannot fail"],
    ["with a pattern for every text", all({ type: "address", matches: ".*" }), "conditions[0]", "cannot fail"],
    ["with a part of an address", all({ type: "address", equals: "/orders" }), "conditions[0]", "always fails"],
    ["of any number of elements", all(element({ at_least: 0 })), "conditions[0]", "cannot fail"],
    ["of no number of elements", all(element({ at_least: 3, at_most: 2 })), "conditions[0]", "always fails"],
    ["of a file where none is kept", all({ type: "file" }), "conditions[0]", "CLICK keeps no file"],
    ["of an element and none", all(element({}), element({ state: "absent" })), "conditions", "always fails"],
    ["of an element or none", any(element({}), element({ state: "absent" })), "conditions", "cannot fail"],
    [
      "of two texts in one place",
      all({ type: "text", selector: "//h1", equals: "a" }, { type: "text", selector: "//h1", equals: "b" }),
      "conditions",
      "cannot equal two texts"
    ],
    ["with a CSS selector", all(element({}, "form > p")), "conditions[0].selector", "css=form > p"],
    [
      "with a misspelt field",
      all({ type: "request", url: "/a", methd: "POST" }),
      "conditions[0].methd",
      "did you mean method?"
    ]
  ])("%s", (_name, expect, path, message) => {
    const { content, problems } = read(click(expect))
    assert.deepStrictEqual(problems, [])
    const warnings = SaveBody.warnings(content)
    assert.deepStrictEqual(
      warnings.map((warning) => warning.path),
      [`${at}.${path}`]
    )
    assert.include(warnings[0]?.message, message)
  })

  it("beside its parameters", () => {
    const { edges, nodes } = graphOf("https://shop.example/", [click(null)])
    const [start, first, end] = nodes
    const sent = { ...first, expect: all({ type: "text", contains: "x" }) }
    const { content } = SaveBody.read(
      { name: "w", nodes: [start, sent, end], edges, input_schema: {}, output_schema: {}, max_retries: 0 },
      0
    )
    const [warning] = SaveBody.warnings(content)
    assert.strictEqual(warning?.path, "nodes[1].expect")
    assert.include(warning?.message, "move it into parameters")
  })
})
