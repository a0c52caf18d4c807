import { assert, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { Browser } from "../../../core/browser/Browser.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { altered } from "../../support/alteredSessions.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"

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

it.effect("a read that waits for a change fails where its part stays the same, and reads one that is new", () =>
  Effect.gen(function* () {
    const read: Step = {
      action: "EXTRACT_DATAMODEL",
      parameters: {
        selector: "//h1",
        wait_for_change: true,
        wait_time: 0,
        extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
      }
    }
    const type: Step = { action: "INPUT_TEXT", parameters: { selector: "#user", text: "ada" } }
    const same = yield* run([type, { action: "DELAY", parameters: { delay_time: 0 } }, read])
    assert.include(
      same.outcome._tag === "Failed" ? same.outcome.failure.message : "",
      "//h1 shows the same as before the last action"
    )
    const changed = yield* run([type, { action: "CLICK", parameters: { selector: "#go" } }, read])
    assert.deepStrictEqual(changed.outcome, { _tag: "Success", data: { title: "Orders" } })
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
  ["IS_NULL", "<<xpath://nothing>>", "", true],
  ["IS_NOT_NULL", "<<xpath:#user>>", "", true],
  ["IS_NULL", "<<xpath:#user>>", "", false],
  ["IS_NULL", "<<xpath:#user>><<xpath:#user>>", "", true],
  ["EQUAL", "<<xpath:#user>>", "", true]
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

const loop = (over: unknown, item: string, body: number, done: number): Step => ({
  action: "LOOP",
  parameters: { variable_over: over, variable_current_item: item, variable_current_index: `${item}_index` },
  to: { body, done }
})
const note = (value: string, to: number): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "APPEND", target: "context.seen", value }] },
  to
})

it.effect("a loop that was left in the middle restarts in the next turn of the one around it", () =>
  Effect.gen(function* () {
    const { outcome } = yield* run([
      loop([1, 2], "a", 2, 5),
      loop([10, 20, 30], "b", 3, 1),
      note("$string(context.runtime.a) & '-' & $string(context.runtime.b)", 4),
      {
        action: "BOOL_CONDITION",
        parameters: {
          comparison_operator: "EQUAL",
          comparison_value_1: "{{context.runtime.b_index}}",
          comparison_value_2: 1
        },
        to: { yes: 1, no: 2 }
      }
    ])
    assert.deepEqual(outcome, { _tag: "Success", data: { seen: ["1-10", "1-20", "2-10", "2-20"] } })
  })
)

it.effect(
  "a step is told with the turns of the loops around it, and one behind a loop that was left without them",
  () =>
    Effect.gen(function* () {
      const rows = [
        { id: "1", note: "x".repeat(300) },
        { id: "2", note: null }
      ]
      const { loops, steps } = yield* run(
        [
          loop("{{context.inputs.rows}}", "row", 2, 7),
          loop("[10, 20, 30]", "b", 3, 1),
          {
            action: "BOOL_CONDITION",
            parameters: {
              comparison_operator: "EQUAL",
              comparison_value_1: "{{context.runtime.b}}",
              comparison_value_2: 20
            },
            to: { yes: 5, no: 4 }
          },
          note("context.runtime.b", 2),
          { action: "SCREENSHOT", to: 6 },
          { action: "SCREENSHOT", to: 1 }
        ],
        { rows }
      )
      const told = steps.map(
        (name, at) =>
          `${name}: ${(loops[at] ?? []).map(({ index, node: { name }, count }) => `${name} ${index}/${count}`).join(", ")}`
      )
      const turn = (index: number) => [
        `LOOP 2: LOOP 1 ${index}/2`,
        ...[`BOOL_CONDITION 3: LOOP 1 ${index}/2, LOOP 2 0/3`, `TRANSFORM 4: LOOP 1 ${index}/2, LOOP 2 0/3`],
        ...[`LOOP 2: LOOP 1 ${index}/2`, `BOOL_CONDITION 3: LOOP 1 ${index}/2, LOOP 2 1/3`],
        ...[`SCREENSHOT 5: LOOP 1 ${index}/2`, `SCREENSHOT 6: LOOP 1 ${index}/2`]
      ]
      assert.deepStrictEqual(told, ["START 0: ", "LOOP 1: ", ...turn(0), "LOOP 1: ", ...turn(1), "LOOP 1: "])
      const [[first] = [], [, inner] = []] = [loops[2], loops[3]]
      assert.deepStrictEqual(first?.item, { id: "1", note: "x".repeat(200) })
      assert.strictEqual(inner?.item, "10")
      assert.deepStrictEqual(loops.at(-2)?.[0]?.item, { id: "2", note: "" })
    })
)

it.effect("a loop in another with the same names gives these back when it ends", () =>
  Effect.gen(function* () {
    const { outcome } = yield* run([
      loop(["a", "b"], "x", 2, 5),
      loop(["c"], "x", 3, 4),
      note("context.runtime.x", 2),
      note("context.runtime.x", 1)
    ])
    assert.deepEqual(outcome, { _tag: "Success", data: { seen: ["c", "a", "c", "b"] } })
  })
)

it.effect.each([
  ["{{context.inputs.rows[open]}}", ["1", "2"]],
  ["{{context.inputs.rows[id='2']}}", ["2"]],
  ["{{context.inputs.rows[id='9']}}", []],
  ["{{context.inputs.none}}", []]
] as const)("a loop over %s has a turn for each that it finds", ([over, expected]) =>
  Effect.gen(function* () {
    const { outcome } = yield* run([loop(over, "row", 2, 3), note("context.runtime.row.id", 1)], {
      rows: [
        { id: "1", open: true },
        { id: "2", open: true },
        { id: "3", open: false }
      ],
      none: null
    })
    assert.deepEqual(outcome, { _tag: "Success", data: expected.length === 0 ? {} : { seen: expected } })
  })
)

it.effect("what a failure tells has the values that were compared, and no token of an address", () =>
  Effect.gen(function* () {
    const closed = yield* run([
      {
        action: "BOOL_CONDITION",
        parameters: {
          comparison_operator: "EQUAL",
          comparison_value_1: "<<xpath://h1>>",
          comparison_value_2: "Open",
          error_on_false_message: "3f0c9a52-9d5a-4f60-8a43-3b6f1b0d6c11"
        },
        to: { yes: 2, no: 3 }
      },
      { action: "DELAY", parameters: { delay_time: 0 } }
    ])
    assert.deepInclude(closed.outcome, { _tag: "Failed" })
    if (closed.outcome._tag === "Failed") {
      assert.include(closed.outcome.failure.message, 'Cannot continue: "Sign in" EQUAL "Open" does not hold')
    }
    const token = "c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA"
    const gone = yield* run([{ action: "NAVIGATE", parameters: { url: `https://shop.example/gone?token=${token}` } }])
    assert.deepInclude(gone.outcome, { _tag: "Failed" })
    if (gone.outcome._tag === "Failed") {
      const { message } = gone.outcome.failure
      assert.include(message, "Cannot open https://shop.example/gone?token=REDACTED")
      assert.notInclude(message, token)
    }
  })
)

it.effect("a document that cannot be read is a failure, and not an empty text", () =>
  Effect.gen(function* () {
    const browser = yield* Browser
    const gone = Browser.of({
      open: (session) =>
        Effect.map(browser.open(session), (page) =>
          altered(page, {
            navigation: { html: () => Effect.fail(new PageFailure({ kind: "crash", reason: "the page crashed" })) }
          })
        )
    })
    const properties = { html: { type: "string", path: "{{document}}" } }
    const { outcome } = yield* walk(
      graphOf(login, [{ action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: { properties } } }])
    ).pipe(Effect.provideService(Browser, gone))
    assert.deepInclude(outcome, { _tag: "Failed" })
    if (outcome._tag === "Failed") assert.strictEqual(outcome.failure.code, "BROWSER-E0001")
  }).pipe(Effect.provide(ScriptedBrowser.layer(site)))
)

it.effect("a page that answers nothing is not waited for once more to take a picture of it", () =>
  Effect.gen(function* () {
    const reason = "the page answered nothing for 20 seconds"
    const pictures = (kind: "unresponsive" | "unloadable") =>
      walk(graphOf(login, [{ action: "NAVIGATE", parameters: { url: list } }])).pipe(
        Effect.provide(ScriptedBrowser.layer(site, { failing: { [list]: new PageFailure({ kind, reason }) } })),
        Effect.map((walked) => walked.pictures.length)
      )
    assert.deepStrictEqual([yield* pictures("unloadable"), yield* pictures("unresponsive")], [1, 0])
  })
)

it.effect("data that does not fit the output schema fails at END, with the page as it is there", () =>
  Effect.gen(function* () {
    const outputSchema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
    const ended = (steps: ReadonlyArray<Step>, dryRun?: Schema.JsonObject) =>
      walk(graphOf(login, steps), {}, { outputSchema, ...(dryRun && { dryRun }) }).pipe(
        Effect.provide(ScriptedBrowser.layer(site))
      )
    const { outcome, pictures } = yield* ended([])
    assert.deepInclude(outcome, { _tag: "Failed" })
    if (outcome._tag === "Failed") {
      assert.deepInclude(outcome.failure, { code: "OUTPUT_SCHEMA_MISMATCH", address: login })
      assert.include(outcome.failure.message, "must have required property 'id'")
    }
    assert.deepStrictEqual(
      pictures.map(({ error, node }) => [error, node.action]),
      [[true, "END"]]
    )
    assert.strictEqual((yield* ended([], {})).outcome._tag, "Failed")
    assert.deepEqual((yield* ended([], { id: 7 })).outcome, { _tag: "Success", data: { id: 7 } })
    const marked = { action: "CLICK", parameters: { selector: "//a", end_here_on_dry_run: true } }
    assert.deepEqual((yield* ended([marked], {})).outcome, { _tag: "Success", data: {} })
  })
)

it.effect("what a dry run adds to its output is its output where it is no object", () =>
  Effect.gen(function* () {
    const ended = (dryRun: Schema.Json, outputSchema: Schema.JsonObject = {}) =>
      walk(graphOf(login, []), {}, { outputSchema, dryRun }).pipe(
        Effect.map(({ outcome }) => outcome),
        Effect.provide(ScriptedBrowser.layer(site))
      )
    for (const value of ["text", "", 12.5, 0, true, false, [1, { a: null }], []]) {
      assert.deepStrictEqual(yield* ended(value), { _tag: "Success", data: value })
    }
    const wrong = yield* ended(["a"], { type: "object" })
    assert.deepInclude(wrong, { _tag: "Failed", data: ["a"] })
    if (wrong._tag === "Failed") assert.include(wrong.failure.message, "must be object")
  })
)

it.effect("metadata of a picture is evaluated", () =>
  Effect.gen(function* () {
    const shoot = (metadata: Schema.JsonObject): Step => ({ action: "SCREENSHOT", parameters: { metadata } })
    const made = { "of {{context.inputs.user}}": ["{{1 + 1}}", { by: "<{{context.inputs.user}}>" }, 7] }
    const { outcome, pictures } = yield* run([shoot(made)], { user: "ada" })
    assert.strictEqual(outcome._tag, "Success")
    assert.deepStrictEqual(pictures[0]?.metadata, { "of ada": [2, { by: "<ada>" }, 7] })
  })
)

it.effect("data is extracted once at least one element matches the selector", () =>
  Effect.gen(function* () {
    const { outcome } = yield* run([
      { action: "CLICK", parameters: { selector: "#go" } },
      { ...rows, parameters: { ...rows.parameters, selector: "//tr" } }
    ])
    assert.deepStrictEqual(outcome.data, {
      orders: [
        { id: "A-1", total: 12.5 },
        { id: "A-2", total: 7 }
      ]
    })
  })
)
