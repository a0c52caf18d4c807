import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Model } from "../../../core/agent/model/Model.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { altered } from "../../support/alteredSessions.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { dataOf, failureOf, home, run, site } from "../../support/shop.ts"

const transform = (...operations: ReadonlyArray<object>): Step => ({ action: "TRANSFORM", parameters: { operations } })
const set = (target: string, value: string, more: object = {}) => ({ type: "SET", target, value, ...more })

describe("TRANSFORM", () => {
  it.effect.each([
    ["sets a value", [set("context.a", "1 + 1")], { a: 2 }],
    ["sets a value in an object that is not there", [set("context.a.b.c", "'x'")], { a: { b: { c: "x" } } }],
    ["sees what was written before", [set("context.a", "2"), set("context.b", "context.a * 3")], { a: 2, b: 6 }],
    [
      "takes away",
      [set("context.a.b", "1"), set("context.a.c", "2"), { type: "DELETE", target: "context.a.b" }],
      { a: { c: 2 } }
    ],
    ["takes away what is not there", [{ type: "DELETE", target: "context.a.b" }, set("context.c", "1")], { c: 1 }],
    ["leaves out what is optional and missing", [set("context.a", "context.inputs.none", { optional: true })], {}],
    [
      "keeps what was there where a value is optional and missing",
      [set("context.a", "1"), set("context.a", "context.inputs.none.deep", { optional: true })],
      { a: 1 }
    ],
    ["stores an empty text", [set("context.a", "1"), set("context.a", "''")], { a: "" }],
    ["stores an empty list", [set("context.a", "[1]"), set("context.a", "[]")], { a: [] }],
    ["stores an empty object", [set("context.a", "{}")], { a: {} }],
    ["stores null", [set("context.a", "1"), set("context.a", "null")], { a: null }],
    ["stores what is null", [set("context.a", "null"), set("context.b", "context.a")], { a: null, b: null }],
    [
      "stores what is empty and optional",
      [set("context.a", "1"), set("context.a", "[]", { optional: true }), set("context.b", "null", { optional: true })],
      { a: [], b: null }
    ],
    ["stores a list of which nothing is left", [set("context.a", "[[1, 2][$ > 2]]")], { a: [] }],
    [
      "sees an empty list that was stored",
      [set("context.a", "[]"), set("context.b", "$count(context.a)")],
      { a: [], b: 0 }
    ],
    [
      "merges",
      [set("context.a", "{'x': {'y': 1}}"), { type: "MERGE", target: "context.a", value: "{'x': {'z': 2}}" }],
      { a: { x: { y: 1, z: 2 } } }
    ],
    [
      "appends a list",
      [set("context.a", "[1]"), { type: "APPEND", target: "context.a", value: "[2, 3]" }],
      { a: [1, 2, 3] }
    ],
    ["appends a value to nothing", [{ type: "APPEND", target: "context.a", value: "'x'" }], { a: ["x"] }],
    ["keeps a zero and a no", [set("context.a", "0"), set("context.b", "false")], { a: 0, b: false }],
    ["reads inputs", [set("context.a", "$uppercase(context.inputs.name)")], { a: "ADA" }]
  ] as const)("%s", ([, operations, expected]) =>
    Effect.map(run([transform(...operations)], { name: "ada" }), (seen) => assert.deepEqual(dataOf(seen), expected))
  )

  it.effect.each([
    ["a field that is missing", "context.inputs.none"],
    ["a field of what is missing", "context.inputs.none.deep"],
    ["a list without elements that match", "[1, 2][$ > 2]"],
    ["a condition without its other side", "context.inputs.none = 1 ? 2"],
    ["a comment", "context.inputs.none /* not there */"]
  ] as const)("fails where %s is set and it is not optional, and changes nothing", ([, value]) =>
    Effect.gen(function* () {
      const seen = yield* run([
        transform(set("context.kept", "1")),
        transform(set("context.a", "1"), set("context.b", value))
      ])
      assert.strictEqual(failureOf(seen).code, "TRANSFORM-E0001")
      assert.include(failureOf(seen).message, "operation 2 sets context.b to a value that is missing")
      assert.deepEqual(seen.outcome.data, { kept: 1 })
    })
  )

  it.effect("hides the secret of a credential that it sets", () =>
    Effect.gen(function* () {
      const accounts = [account("BANK", { userName: "ada", password: "correct horse" })]
      const seen = yield* run(
        [transform(set("context.a", "context.inputs.BANK.PASSWORD & '!'"))],
        { BANK: "ada" },
        {},
        { accounts }
      )
      assert.deepEqual(dataOf(seen), { a: "[secret]!" })
    })
  )

  it.effect("ends by a limit that has a name when its expression loops", () =>
    Effect.gen(function* () {
      const seen = yield* run([transform(set("context.a", "($f := function($n) { $f($n + 1) }; $f(0))"))])
      assert.strictEqual(failureOf(seen).code, "TEMPLATE-E0002")
      assert.include(failureOf(seen).message, 'the limit "work"')
    })
  )
})

describe("run_if", () => {
  const clickIf = (run_if: object): Step => ({
    action: "CLICK",
    parameters: { selector: "#nowhere", wait_time: 0, run_if }
  })

  it.effect.each([
    ["EQUAL", "context.inputs.n", "5", true],
    ["EQUAL", "context.inputs.flag", "true", true],
    ["EQUAL", "context.inputs.flag", true, true],
    ["EQUAL", "context.inputs.none", "x", false],
    ["NOT_EQUAL", "context.inputs.n", "6", true],
    ["NOT_EQUAL", "context.inputs.none", "x", false],
    ["NOT_EQUAL", "context.inputs.nil", "x", false],
    ["CONTAINS", "context.inputs.text", "b", true],
    ["CONTAINS", "context.inputs.list", "b", true],
    ["CONTAINS", "context.inputs.list", "ab", false],
    ["NOT_CONTAINS", "context.inputs.text", "z", true],
    ["STARTS_WITH", "context.inputs.text", "ab", true],
    ["ENDS_WITH", "context.inputs.text", "ab", false],
    ["EQUAL", "context.inputs.text", "{{context.inputs.other}}", true],
    ["IS_NULL", "context.inputs.none", undefined, true],
    ["IS_NULL", "context.inputs.nil", undefined, true],
    ["IS_NULL", "context.inputs.empty", undefined, true],
    ["IS_NULL", "context.inputs.word", undefined, true],
    ["IS_NULL", "context.inputs.nobody", undefined, true],
    ["IS_NULL", "context.inputs.n", undefined, false],
    ["IS_NOT_NULL", "context.inputs.list[0]", undefined, true]
  ] as const)("%s of %s and %s decides whether a node is done", ([operator, field, value, holds]) =>
    Effect.gen(function* () {
      const inputs = {
        n: 5,
        flag: true,
        nil: null,
        empty: "",
        word: "null",
        nobody: [],
        text: "abc",
        other: "abc",
        list: ["a", "b"]
      }
      const { outcome } = yield* run(
        [clickIf({ conditions: [{ field, operator, ...(value === undefined ? {} : { value }) }] })],
        inputs
      )
      assert.strictEqual(outcome._tag, holds ? "Failed" : "Success")
    })
  )

  it.effect("is decided once for a step, and one that cannot be decided fails with it", () =>
    Effect.gen(function* () {
      let asked = 0
      const browser = Layer.effect(
        Browser,
        Effect.map(Browser, ({ open }) => ({
          open: (session) =>
            Effect.map(open(session), (page) =>
              altered(page, {
                navigation: {
                  address: Effect.suspend(() => {
                    asked++
                    return page.navigation.address
                  })
                }
              })
            )
        }))
      ).pipe(Layer.provide(ScriptedBrowser.layer(site)))
      const typing = (more: object) => ({ action: "INPUT_TEXT", parameters: { selector: "#user", text: "x", ...more } })
      const here = (value: string) => ({
        run_if: { conditions: [{ field: "context.inputs.at", operator: "EQUAL", value }] }
      })
      const times = Effect.fnUntraced(function* (value: string) {
        asked = 0
        const seen = yield* walk(graphOf(home, [typing(here(value))]), { at: home }).pipe(Effect.provide(browser))
        return { seen, asked }
      })
      const plain = yield* times(home)
      const located = yield* times("{{window.location.href}}")
      assert.deepStrictEqual(
        [plain, located].map(({ seen }) => seen.steps),
        [plain.seen.steps, plain.seen.steps]
      )
      assert.strictEqual(located.asked - plain.asked, 1)
      const { seen } = yield* times("{{$error('no')}}")
      assert.strictEqual(failureOf(seen).code, "TEMPLATE-E0001")
      assert.strictEqual(failureOf(seen).node?.name, "INPUT_TEXT 1")
      assert.strictEqual(seen.steps.at(-1), "INPUT_TEXT 1")
    })
  )

  it.effect.each([
    ["all", [true, true], true],
    ["all", [true, false], false],
    ["any", [false, true], true],
    ["any", [false, false], false]
  ] as const)("%s of %j", ([match, flags, holds]) =>
    Effect.gen(function* () {
      const conditions = flags.map((flag) => ({
        field: "context.inputs.yes",
        operator: flag ? "EQUAL" : "NOT_EQUAL",
        value: "1"
      }))
      const { outcome } = yield* run([clickIf({ match, conditions })], { yes: 1 })
      assert.strictEqual(outcome._tag, holds ? "Failed" : "Success")
    })
  )
})

describe("CAPTCHA", () => {
  const marks = "css=.cf-turnstile, [name='cf-turnstile-response'], iframe[src*='challenges.cloudflare.com']"
  const answer = "css=[name='cf-turnstile-response']"
  const step: Step = {
    action: "CAPTCHA",
    parameters: { captcha_type: "turnstile", wait_time: 0, execution: "LLM_VISION", prompt: "Solve it" }
  }
  const on = (page: ScriptedBrowser.ScriptedSite[string], options: Parameters<typeof walk>[2] = {}) =>
    walk(graphOf(home, [step]), {}, options).pipe(Effect.provide(ScriptedBrowser.layer({ [home]: page })))

  it.live("passes a page without one, and one that is solved", () =>
    Effect.gen(function* () {
      dataOf(yield* on([{ selector: "//h1" }]))
      dataOf(yield* on([{ selector: marks }, { selector: answer, value: "token" }]))
    })
  )

  it.live("fails when no person may be asked, and asks no model, for each execution", () =>
    Effect.gen(function* () {
      const model = { names: ["small"] as const, answer: () => Effect.die("the model was asked") }
      const seen = on([{ selector: marks }, { selector: answer, value: "" }]).pipe(Effect.provideService(Model, model))
      const failure = failureOf(yield* seen)
      assert.strictEqual(failure.code, "CAPTCHA-E0001")
      assert.include(failure.message, "manual_captcha_solve")
    })
  )

  it.live("asks a person with a picture, and looks whether it is solved", () =>
    Effect.gen(function* () {
      const questions: Array<string> = []
      const person = {
        ask: (question: { readonly message: string; readonly shot?: unknown }) =>
          Effect.sync(() => {
            questions.push(question.message)
            assert.isNotNull(question.shot)
            return null
          }),
        correct: () => Effect.succeed(null)
      }
      const options = { person, manualCaptcha: true }
      const failure = failureOf(yield* on([{ selector: marks }, { selector: answer, value: "" }], options))
      assert.strictEqual(failure.code, "CAPTCHA-E0001")
      assert.strictEqual(questions.length, 1)
      assert.include(questions[0], "solve it in the live view")
    })
  )
})
