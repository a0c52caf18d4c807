import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScriptedBrowser from "../../adapters/memory/ScriptedBrowser.ts"
import { graphOf, type Step, walk } from "../support/browser.ts"

const login = "https://shop.example/login"
const list = "https://shop.example/orders"

const site: ScriptedBrowser.ScriptedSite = {
  [login]: [
    { selector: "//h1", text: "Sign in" },
    { selector: "#user", value: "" },
    { selector: "#go", leadsTo: list },
    { selector: "//a", text: "one" },
    { selector: "//a", text: "two" }
  ],
  [list]: [
    { selector: "//h1", text: "Orders" },
    { selector: "//select", value: "open", options: ["open", "shipped"] },
    { selector: "//tr", parts: { "/td[1]": "A-1", "/td[2]": "12.5" } },
    { selector: "//tr", parts: { "/td[1]": "A-2", "/td[2]": "7" } }
  ]
}

const run = (steps: ReadonlyArray<Step>, inputs = {}) =>
  walk(graphOf(login, steps), inputs).pipe(Effect.provide(ScriptedBrowser.layer(site)))

const rows: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: {
      type: "object",
      properties: {
        orders: {
          type: "array",
          path: "//tr",
          items: {
            type: "object",
            properties: { id: { type: "string", path: "/td[1]" }, total: { type: "number", path: "/td[2]" } }
          }
        }
      }
    }
  }
}

it.effect("every action of a graph is done on a page in memory, and lists that are read twice are appended", () =>
  Effect.gen(function* () {
    const { marks, outcome, steps } = yield* run(
      [
        { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.user}}" } },
        { action: "CLICK", parameters: { selector: "#go" } },
        {
          action: "BOOL_CONDITION",
          parameters: {
            comparison_operator: "STARTS_WITH",
            comparison_value_1: "<<xpath://h1>>",
            comparison_value_2: "Ord"
          },
          to: { yes: 4, no: 8 }
        },
        { action: "INPUT_SELECT", parameters: { selector: "//select", value: "shipped" } },
        {
          action: "LOOP",
          parameters: { variable_over: "[1, 2]", variable_current_item: "x", variable_current_index: "i" },
          to: { body: 6, done: 7 }
        },
        { ...rows, to: 5 },
        { action: "SCREENSHOT" }
      ],
      { user: "me" }
    )
    const both = [
      { id: "A-1", total: 12.5 },
      { id: "A-2", total: 7 }
    ]
    assert.deepEqual(outcome, { _tag: "Success", data: { orders: [...both, ...both] } })
    assert.deepStrictEqual(marks, ["acting"])
    assert.strictEqual(steps.filter((name) => name.startsWith("LOOP")).length, 3)
  })
)

it.effect("a failure tells the same as a real page would", () =>
  Effect.gen(function* () {
    const two = yield* run([{ action: "CLICK", parameters: { selector: "//a", wait_time: 100 } }])
    assert.deepInclude(two.outcome, { _tag: "Failed" })
    if (two.outcome._tag === "Failed") {
      assert.strictEqual(
        two.outcome.failure.message,
        `Node "CLICK 1": Cannot click //a: 2 elements match after 100 ms, expected exactly 1 (at ${login})`
      )
    }
    assert.deepStrictEqual(
      two.pictures.map(({ error }) => error),
      [true]
    )
  })
)

it.effect.each([
  ["EQUAL", "a", "a", true],
  ["EQUAL", "true", "true", true],
  ["NOT_EQUAL", "a", "b", true],
  ["CONTAINS", "abc", "b", true],
  ["NOT_CONTAINS", "abc", "b", false],
  ["STARTS_WITH", "abc", "ab", true],
  ["ENDS_WITH", "abc", "ab", false],
  ["IS_NULL", "null", "", true],
  ["IS_NULL", "{{context.inputs.list}}", "", true],
  ["IS_NOT_NULL", "<<xpath://h1>>", "", true],
  ["IS_NULL", "<<xpath://nothing>>", "", true]
] as const)("%s of %s and %s is decided", ([comparison_operator, comparison_value_1, comparison_value_2, holds]) =>
  Effect.gen(function* () {
    const { steps } = yield* run(
      [
        {
          action: "BOOL_CONDITION",
          parameters: { comparison_operator, comparison_value_1, comparison_value_2 },
          to: { yes: 2, no: 3 }
        },
        { action: "DELAY", parameters: { delay_time: 0 }, to: 3 }
      ],
      { list: [] }
    )
    assert.strictEqual(
      steps.some((name) => name.startsWith("DELAY")),
      holds
    )
  })
)
