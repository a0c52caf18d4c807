/** Loops over pages that end because their way on is gone, or because it is no longer found. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { furtherPage } from "../../../core/agent/Pagers.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"

const first = "https://shop.example/1"
const second = "https://shop.example/2"

const pager = "//a[.='Next']"

const row = (text: string): ScriptedBrowser.ScriptedElement => ({ selector: "//li", text })
const link = (selector: string, leadsTo: string, text = "Next") => ({ selector, text, leadsTo })

const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: { type: "object", properties: { rows: { type: "array", path: "//li", items: "string" } } }
  }
}

const isThere = { comparison_operator: "IS_NOT_NULL", comparison_value_1: `<<xpath:${pager}>>` }

/** Reads a list on every page, as long as a condition holds. */
const pages = (condition: Readonly<Record<string, string>> = isThere, ways = { yes: 3, no: 4 }) =>
  graphOf(first, [
    read,
    { action: "BOOL_CONDITION", parameters: condition, to: ways },
    { action: "CLICK", parameters: { selector: pager }, to: 1 }
  ])

const on = (
  one: ReadonlyArray<ScriptedBrowser.ScriptedElement>,
  other: ReadonlyArray<ScriptedBrowser.ScriptedElement>
) =>
  ScriptedBrowser.layer({
    [first]: [row("A"), ...one],
    [second]: [row("B"), ...other]
  })

/** What a page has beside a link whose word is another one. */
const renamed = [{ selector: furtherPage, text: "Weiter" }]

const codes = (warnings: ReadonlyArray<{ readonly code: string }>) => warnings.map(({ code }) => code)

it.effect("a loop that ends on the last page, or on the only one, gives no warning", () =>
  Effect.gen(function* () {
    const { outcome, warnings } = yield* walk(pages())
    assert.deepEqual(outcome, { _tag: "Success", data: { rows: ["A", "B"] } })
    assert.deepStrictEqual(warnings, [])
  }).pipe(Effect.provide(on([link(pager, second)], [])))
)

it.effect.each([
  ["that asks whether it is there", isThere, undefined],
  ["that asks whether it is gone", { ...isThere, comparison_operator: "IS_NULL" }, { yes: 4, no: 3 }],
  [
    "for its word",
    { comparison_operator: "EQUAL", comparison_value_1: "<<xpath://a[1]>>", comparison_value_2: "Next" },
    undefined
  ]
] as const)("a condition %s warns where the page has another way on", ([_name, condition, ways]) =>
  Effect.gen(function* () {
    const { outcome, warnings } = yield* walk(pages(condition, ways))
    assert.deepEqual(outcome, { _tag: "Success", data: { rows: ["A", "B"] } })
    assert.deepStrictEqual(codes(warnings), ["PAGER-W0001"])
    assert.deepInclude(warnings[0], { value: "Weiter" })
    assert.deepInclude(warnings[0]?.node, { action: "BOOL_CONDITION" })
  }).pipe(Effect.provide(on([link(pager, second), { selector: "//a[1]", text: "Next" }], renamed)))
)

it.effect("a strict workflow fails where the page has another way on", () =>
  Effect.gen(function* () {
    const { outcome } = yield* walk(pages(), {}, { strict: true })
    assert.deepInclude(outcome, { _tag: "Failed" })
    if (outcome._tag === "Failed") assert.strictEqual(outcome.failure.code, "STRICT-E0001")
  }).pipe(Effect.provide(on([link(pager, second)], renamed)))
)

it.effect("a list of one page beside another way on gives a warning, and fails no strict workflow", () =>
  Effect.gen(function* () {
    const { outcome, warnings } = yield* walk(pages(), {}, { strict: true })
    assert.deepEqual(outcome, { _tag: "Success", data: { rows: ["A"] } })
    assert.deepStrictEqual(codes(warnings), ["PAGER-W0001"])
  }).pipe(Effect.provide(on(renamed, [])))
)

it.effect("the ways of a gallery that every page has give no warning", () =>
  Effect.gen(function* () {
    const gallery = { selector: furtherPage, text: "›" }
    const { outcome, warnings } = yield* walk(pages(), {}, { strict: true }).pipe(
      Effect.provide(on([link(pager, second), { selector: furtherPage, text: "Next" }, gallery], [gallery]))
    )
    assert.deepEqual(outcome, { _tag: "Success", data: { rows: ["A", "B"] } })
    assert.deepStrictEqual(warnings, [])
  })
)

it.effect("a condition that ends no loop of clicks, or compares with a value of the run, is left alone", () =>
  Effect.gen(function* () {
    const noLoop = graphOf(first, [
      { action: "BOOL_CONDITION", parameters: isThere, to: { yes: 2, no: 3 } },
      { action: "CLICK", parameters: { selector: pager } }
    ])
    const byValue = {
      comparison_operator: "EQUAL",
      comparison_value_1: "<<xpath://li>>",
      comparison_value_2: "{{context.inputs.x}}"
    }
    for (const graph of [noLoop, pages(byValue)]) {
      assert.deepStrictEqual((yield* walk(graph, { x: "C" })).warnings, [])
    }
  }).pipe(Effect.provide(on(renamed, [])))
)

it.effect("of a loop in a loop, a way on that one turn has seen was there", () =>
  Effect.gen(function* () {
    const graph = graphOf(first, [
      {
        action: "LOOP",
        parameters: {
          variable_over: "{{context.inputs.pages}}",
          variable_current_item: "page",
          variable_current_index: "at"
        },
        to: { body: 2, done: 6 }
      },
      { action: "NAVIGATE", parameters: { url: "{{context.runtime.page}}" } },
      read,
      { action: "BOOL_CONDITION", parameters: isThere, to: { yes: 5, no: 1 } },
      { action: "CLICK", parameters: { selector: pager }, to: 3 }
    ])
    const { outcome, warnings } = yield* walk(graph, { pages: [second, first] })
    assert.deepEqual(outcome, { _tag: "Success", data: { rows: ["B", "A", "B"] } })
    assert.deepStrictEqual(warnings, [])
  }).pipe(Effect.provide(on([link(pager, second)], [])))
)
