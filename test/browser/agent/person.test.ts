import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import type { Failure, Outcome } from "../../../core/agent/Outcome.ts"
import type { CorrectableFailure, Correction, Person, Question } from "../../../core/agent/Person.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { code } from "../../support/questions.ts"
import { withSite } from "../../support/realBrowser.ts"

const site = "https://bank.example/"
const pages: ScriptedBrowser.ScriptedSite = {
  [site]: [
    { selector: "#code", value: "" },
    { selector: "#state", value: "", options: ["California", "Texas"] },
    { selector: "//h1", text: "Welcome" }
  ]
}

/** A person who gives these answers in turn, and what they were asked. */
const person = (answers: ReadonlyArray<Correction | { readonly code: string } | null>) => {
  const asked: Array<Question | CorrectableFailure> = []
  const next = (question: Question | CorrectableFailure) =>
    Effect.sync(() => {
      asked.push(question)
      return answers[asked.length - 1] ?? null
    })
  const one: Person = { ask: next as Person["ask"], correct: next as Person["correct"] }
  return { asked, person: one }
}

const run = (
  steps: ReadonlyArray<Step>,
  inputs: Record<string, never> | Record<string, string | number | null | ReadonlyArray<string>>,
  options: Parameters<typeof walk>[2]
) => walk(graphOf(site, steps), inputs, options).pipe(Effect.provide(ScriptedBrowser.layer(pages)))

const failureOf = (outcome: Outcome): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

const ask = (more: object = {}): Step => ({
  action: "USER_INTERACTION",
  parameters: { expected_datamodel: code, server_message: "The code of {{context.inputs.user}}?", ...more }
})
const typeCode: Step = { action: "INPUT_TEXT", parameters: { selector: "#code", text: "{{context.code}}" } }
const read = (name: string, path: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { [name]: { type: "string", path } } } }
})
const choose: Step = { action: "INPUT_SELECT", parameters: { selector: "#state", value: "{{context.inputs.state}}" } }

describe("a step that asks a person", () => {
  it.effect("continues with the answer in the context, and keeps it out of the data of the run", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([{ code: "123456" }])
      const { marks, outcome } = yield* run(
        [ask(), typeCode, read("typed", "#code"), read("title", "//h1")],
        { user: "Ada" },
        { person: someone, outputSchema: { type: "object", properties: { title: {}, typed: {} } } }
      )
      assert.deepEqual(outcome, { _tag: "Success", data: { typed: "123456", title: "Welcome" } })
      assert.deepStrictEqual(
        asked.map((question) => [question.message, "timeoutMillis" in question && question.timeoutMillis]),
        [["The code of Ada?", 180_000]]
      )
      assert.deepStrictEqual(marks, ["acting"])
      const plain = yield* run(
        [ask(), read("title", "//h1")],
        { user: "Ada" },
        { person: person([{ code: "123456" }]).person }
      )
      assert.deepEqual(plain.outcome.data, { title: "Welcome" })
      const named = yield* run(
        [ask()],
        { user: "Ada" },
        {
          person: person([{ code: "123456" }]).person,
          outputSchema: { type: "object", properties: { code: { type: "string" } } }
        }
      )
      assert.deepEqual(named.outcome.data, { code: "123456" })
    })
  )

  it.effect("asks again in a loop, and the last answer counts", () =>
    Effect.gen(function* () {
      const { person: someone } = person([{ code: "111111" }, { code: "222222" }])
      const { outcome } = yield* run(
        [
          {
            action: "LOOP",
            parameters: { variable_over: 2, variable_current_item: "x", variable_current_index: "i" },
            to: { body: 2, done: 3 }
          },
          { ...ask(), to: 1 },
          typeCode,
          read("typed", "#code")
        ],
        { user: "Ada" },
        { person: someone }
      )
      assert.deepEqual(outcome.data, { typed: "222222" })
    })
  )

  it.effect("fails the run when no answer comes, in the words of the workflow where it has some", () =>
    Effect.gen(function* () {
      const silent = yield* run([ask({ timeout: 5_000 })], { user: "Ada" }, {})
      assert.deepInclude(failureOf(silent.outcome), {
        code: "INTERACTION-E0001",
        category: "ADDITIONAL_USER_INPUT_REQUIRED",
        original: "No answer was given within 5 s"
      })
      assert.lengthOf(silent.pictures, 1)
      const worded = yield* run([ask({ error_message: "No code was entered" })], { user: "Ada" }, {})
      assert.include(failureOf(worded.outcome).message, "No code was entered")
      const id = "3f0c9a52-9d5a-4f60-8a43-3b6f1b0d6c11"
      const named = failureOf((yield* run([ask({ error_message: id })], { user: "Ada" }, {})).outcome)
      assert.strictEqual(named.errorCodeId, id)
      assert.include(named.message, "Cannot continue without an answer: none was given within 180 s")
    })
  )

  it.effect("never shows the answer in a failure that comes after it", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run(
        [ask(), { action: "INPUT_SELECT", parameters: { selector: "#state", value: "{{context.code}}" } }],
        { user: "Ada" },
        { person: person([{ code: "987654" }]).person }
      )
      assert.include(failureOf(outcome).message, 'Cannot choose "[answer]"')
      assert.notInclude(JSON.stringify(outcome), "987654")
    })
  )

  it.effect("ends at once when the run is interrupted while it waits", () =>
    Effect.gen(function* () {
      const waiting = yield* Queue.unbounded<string>()
      const never: Person = {
        ask: () =>
          Effect.andThen(Queue.offer(waiting, "asked"), Effect.never).pipe(
            Effect.onInterrupt(() => Queue.offer(waiting, "closed"))
          ),
        correct: () => Effect.never
      }
      const running = yield* Effect.forkChild(run([ask()], { user: "Ada" }, { person: never }))
      assert.strictEqual(yield* Queue.take(waiting), "asked")
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* Queue.take(waiting), "closed")
    })
  )
})

describe("a step that corrected inputs can mend", () => {
  const inputs = (state: string): Correction => ({ _tag: "inputs", inputs: { state } })
  const option = (name: string, save = false): Correction => ({ _tag: "option", option: name, save })

  it.effect("is tried again with them, and so are the steps after it", () =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([inputs("Utah"), inputs("Texas")])
      const { outcome, steps } = yield* run(
        [
          choose,
          { action: "INPUT_TEXT", parameters: { selector: "#code", text: "{{context.inputs.state}}" } },
          read("typed", "#code"),
          read("state", "#state")
        ],
        { state: "Kalifornia" },
        { person: someone, correctable: true }
      )
      assert.deepEqual(outcome, { _tag: "Success", data: { typed: "Texas", state: "Texas" } })
      assert.deepStrictEqual(
        asked.map((mistake) => "inputs" in mistake && [mistake.inputs, mistake.choosing, mistake.shot !== null]),
        [
          [{ state: "Kalifornia" }, true, true],
          [{ state: "Utah" }, true, true]
        ]
      )
      assert.include(asked[0]?.message, 'Cannot choose "Kalifornia" in #state')
      assert.strictEqual(steps.filter((name) => name.startsWith("INPUT_SELECT")).length, 1)
    })
  )

  it.effect.each([
    ["once when no answer comes", [], 1],
    ["three times at most", ["a", "b", "c", "d"], 3]
  ] as const)("asks %s, and then fails as it would have", ([, answers, times]) =>
    Effect.gen(function* () {
      const { asked, person: someone } = person(answers.map(inputs))
      const { outcome, pictures } = yield* run(
        [choose],
        { state: "Kalifornia" },
        { person: someone, correctable: true }
      )
      assert.deepInclude(failureOf(outcome), { code: "OPTION-E0001", category: "INCORRECT_FORM_INPUTS" })
      assert.lengthOf(asked, times)
      assert.deepStrictEqual(
        pictures.map(({ error }) => error),
        [true]
      )
    })
  )

  it.effect("takes an option that is named, and takes it again where that was asked for", () =>
    Effect.gen(function* () {
      const twice = (node: Step): ReadonlyArray<Step> => [
        {
          action: "LOOP",
          parameters: {
            variable_over: "{{context.inputs.states}}",
            variable_current_item: "state",
            variable_current_index: "i"
          },
          to: { body: 2, done: 3 }
        },
        { ...node, to: 1 },
        read("state", "#state")
      ]
      const node: Step = {
        action: "INPUT_SELECT",
        parameters: { selector: "#state", value: "{{context.runtime.state}}" }
      }
      const states = ["Kalifornia", "Kalifornia", "Teksas", "Kalifornia"]
      const saved = person([option("Kallifornia", true), option("California", true), option("Texas")])
      const first = yield* run(twice(node), { states }, { person: saved.person, correctable: true })
      assert.deepEqual(first.outcome, { _tag: "Success", data: { state: "California" } })
      // A correction that matches nothing is not kept, so the person is asked again in turns two and four.
      assert.lengthOf(saved.asked, 3)
      const once = person([option("California"), option("California"), option("Texas"), option("California")])
      yield* run(twice(node), { states }, { person: once.person, correctable: true })
      assert.lengthOf(once.asked, 4)
    })
  )

  it.effect.each([
    [
      "an expression over an input of the wrong type",
      { action: "INPUT_TEXT", parameters: { selector: "#code", text: "{{$uppercase(context.inputs.state)}}" } },
      true
    ],
    [
      "a loop over an input that is no list",
      {
        action: "LOOP",
        parameters: {
          variable_over: "{{context.inputs.state}}",
          variable_current_item: "x",
          variable_current_index: "i"
        },
        to: { body: 2, done: 3 }
      },
      true
    ],
    [
      "an expression without braces",
      {
        action: "TRANSFORM",
        parameters: { operations: [{ type: "SET", target: "context.x", value: "$uppercase(context.inputs.state)" }] }
      },
      true
    ],
    [
      "an expression over something else",
      { action: "INPUT_TEXT", parameters: { selector: "#code", text: "{{$uppercase(5)}}" } },
      false
    ],
    ["an element that is not there", { action: "CLICK", parameters: { selector: "#nothing", wait_time: 1 } }, false]
  ] as const)("is %s: %s", ([name, step, mendable]) =>
    Effect.gen(function* () {
      const steps: ReadonlyArray<Step> =
        step.action === "LOOP" ? [step, { action: "DELAY", parameters: { delay_time: 0 }, to: 1 }] : [step]
      const { asked, person: someone } = person([])
      yield* run(steps, { state: -5 }, { person: someone, correctable: true })
      assert.lengthOf(asked, mendable ? 1 : 0, name)
      const without = person([])
      yield* run(steps, { state: -5 }, { person: without.person, correctable: false })
      assert.lengthOf(without.asked, 0)
    })
  )
})

it.live("a person answers and corrects a run in a real browser", () =>
  withSite((demo) =>
    Effect.gen(function* () {
      const { asked, person: someone } = person([
        { code: demoUsers.clerk.password } as never,
        { _tag: "inputs", inputs: { status: "open" } }
      ])
      const { outcome, pictures } = yield* walk(
        graphOf(`${demo}/login`, [
          {
            action: "USER_INTERACTION",
            parameters: {
              expected_datamodel: { type: "object", properties: { code: { type: "string" } }, required: ["code"] }
            }
          },
          { action: "INPUT_TEXT", parameters: { selector: "css=#user", text: demoUsers.clerk.user } },
          { action: "INPUT_TEXT", parameters: { selector: "css=#password", text: "{{context.code}}" } },
          { action: "CLICK", parameters: { selector: "css=#sign-in" } },
          { action: "INPUT_SELECT", parameters: { selector: "css=#status", value: "{{context.inputs.status}}" } },
          read("status", "//select")
        ]),
        { status: "opened yesterday" },
        { person: someone, correctable: true }
      )
      assert.deepEqual(outcome, { _tag: "Success", data: { status: "open" } })
      const mistake = asked[1]
      assert.deepStrictEqual(mistake !== undefined && "shot" in mistake && mistake.shot?.mediaType, "image/jpeg")
      assert.deepStrictEqual(pictures, [])
    })
  )
)
