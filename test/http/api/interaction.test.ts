import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { code } from "../../support/questions.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const site = "https://bank.example/"
const browser = ScriptedBrowser.layer({
  [site]: [
    { selector: "#code", value: "" },
    { selector: "#state", value: "", options: ["California", "Texas"] }
  ]
})

/** A worker in the process of the server, for as long as the test lives. */
const working = Worker.run({ name: "w", capacity: 4, leaseMillis: 30_000, graceMillis: 0 }).pipe(
  Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))),
  Effect.forkScoped
)

type Body = Readonly<Record<string, unknown>>

/** A started run of these steps. */
const started = Effect.fnUntraced(function* (
  member: Member,
  steps: ReadonlyArray<Step>,
  overrides: object = {},
  inputs: object = {}
) {
  const { send } = yield* Service
  const json = { name: "Asks", ...graphOf(site, steps), input_schema: {}, output_schema: {}, ...overrides }
  const made = yield* send({ method: "POST", path: "/workflows", key: member.key, json })
  assert.strictEqual(made.status, 201, made.text)
  const run = yield* send({
    method: "POST",
    path: "/run",
    key: member.key,
    json: { workflow_id: made.body.id, run_input_variables: inputs }
  })
  const path = `/run/${run.body.session_id}`
  const record = Effect.map(send({ method: "GET", path, key: member.key }), ({ body }) => body)
  const events = Effect.map(
    record,
    (body) => body.events as ReadonlyArray<{ event: string; payload: Body; at: string }>
  )
  const event = (name: string) => {
    const isMeant = (one: { readonly event: string }) => one.event === name
    return Effect.map(
      until(name, events, (all) => all.some(isMeant)),
      (all) => all.find(isMeant) ?? assert.fail(name)
    )
  }
  const ended = until("the end of the run", record, (body) => body.execution_end !== null)
  const ask = (key = member.key) => send({ method: "GET", path: `${path}/user_interaction`, key })
  const answer = (json: unknown, key = member.key) =>
    send({ method: "POST", path: `${path}/user_interaction`, key, json })
  const correct = (json: unknown, key = member.key) =>
    send({ method: "POST", path: `${path}/new_input_variables`, key, json })
  return { id: String(run.body.session_id), workflowId: made.body.id, path, record, event, ended, ask, answer, correct }
})

const askForCode: Step = {
  action: "USER_INTERACTION",
  parameters: { expected_datamodel: code, server_message: "The code, please", timeout: 60_000 }
}
const typeCode: Step = { action: "INPUT_TEXT", parameters: { selector: "#code", text: "{{context.code}}" } }
const choose: Step = { action: "INPUT_SELECT", parameters: { selector: "#state", value: "{{context.inputs.state}}" } }

// In memory: these tests move the clock past deadlines of the worker in this process, which a database in a thread of its
// own answers too late for.
it.layer(layerInMemory)("a run that asks a person", (it) => {
  describe("for data", () => {
    it.effect("is answered over HTTP, and its record shows the question and never the answer", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { dump, member } = yield* Service
          const me = yield* member("Member")
          const run = yield* started(me, [askForCode, typeCode])
          const waiting = yield* run.event("interaction.waiting")
          assert.deepStrictEqual(waiting.payload, {
            session_id: run.id,
            workflow_id: run.workflowId,
            current_step: "USER_INTERACTION 1",
            missing_properties: ["code"],
            expected_json_schema_datamodel: code,
            message: "The code, please"
          })
          const open = yield* run.ask((yield* member("Viewer", me)).key)
          assert.strictEqual(open.status, 200)
          assert.deepInclude(open.body, {
            session_id: run.id,
            kind: "interaction",
            message: "The code, please",
            missing_properties: ["code"],
            input_variables: null,
            screenshot_url: null
          })
          assert.strictEqual(Date.parse(String(open.body.expires_at)) - Date.parse(String(open.body.asked_at)), 60_000)

          const wrong = yield* run.answer({ code: "12345" })
          assert.strictEqual(wrong.status, 400)
          assert.deepInclude(wrong.body, { code: "VALIDATION_FAILED", expected_json_schema_datamodel: code })
          assert.deepStrictEqual(
            (wrong.body.errors as ReadonlyArray<Body>).map(({ path }) => path),
            ["code"]
          )
          assert.strictEqual((yield* run.correct({ input_variables: { code: "123456" } })).status, 400)

          const right = yield* run.answer({ code: "246802", more: "ignored" })
          assert.strictEqual(right.status, 200)
          assert.deepInclude(right.body, { success: true, session_id: run.id })
          assert.isNotEmpty(right.body.message)

          const record = yield* run.ended
          assert.deepInclude(record, { status: "execution.success", data: {} })
          const finished = yield* run.event("interaction.finished")
          assert.deepStrictEqual(finished.payload, { ...waiting.payload, missing_properties: [] })
          assert.notInclude(JSON.stringify(record), "246802")
          assert.notInclude(yield* dump, "246802")

          assert.deepInclude((yield* run.answer({ code: "246802" })).body, { statusCode: 409, code: "RUN_ENDED" })
          assert.strictEqual((yield* run.ask()).status, 404)
        })
      )
    )

    it.effect("fails with the code of a timeout when no answer comes in time", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const run = yield* started(yield* member("Member"), [askForCode])
          yield* run.event("interaction.waiting")
          yield* TestClock.adjust("60 seconds")
          const record = yield* run.ended
          assert.deepInclude((record.errors as ReadonlyArray<Body>)[0], {
            error_code: "INTERACTION-E0001",
            llm_error_category: "ADDITIONAL_USER_INPUT_REQUIRED"
          })
          assert.deepInclude((yield* run.event("interaction.failed")).payload, { reason: "timeout" })
        })
      )
    )

    it.effect("ends at once when it is interrupted, and lets the worker go on", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member, send } = yield* Service
          const me = yield* member("Member")
          const run = yield* started(me, [askForCode])
          yield* run.event("interaction.waiting")
          yield* send({ method: "POST", path: `${run.path}/interrupt`, key: me.key })
          assert.deepInclude(yield* run.ended, { status: "execution.stopped" })
          assert.deepInclude((yield* run.answer({ code: "123456" })).body, { statusCode: 409, code: "RUN_ENDED" })
          const next = yield* started(me, [{ action: "DELAY", parameters: { delay_time: 0 } }])
          assert.deepInclude(yield* next.ended, { status: "execution.success" })
        })
      )
    )

    it.effect("keeps its lease while it waits for the longest time", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const run = yield* started(yield* member("Member"), [
            { action: "USER_INTERACTION", parameters: { expected_datamodel: code, timeout: 300_000 } }
          ])
          yield* run.event("interaction.waiting")
          for (let passed = 0; passed < 299; passed += 13) yield* TestClock.adjust("13 seconds")
          assert.strictEqual((yield* run.answer({ code: "123456" })).status, 200)
          assert.deepInclude(yield* run.ended, { status: "execution.success", session_retries: 0 })
        })
      )
    )

    it.effect("cannot be saved with a question that has no possible answer", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        const problems = (parameters: object) =>
          Effect.map(
            send({
              method: "POST",
              path: "/workflows",
              key,
              json: { name: "Asks", ...graphOf(site, [{ action: "USER_INTERACTION", parameters: { ...parameters } }]) }
            }),
            ({ body }) =>
              ((body.errors ?? []) as ReadonlyArray<Body>).map(({ path }) =>
                String(path).replace("nodes[1].parameters.", "")
              )
          )
        assert.deepStrictEqual(yield* problems({ expected_datamodel: code, timeout: null, server_message: null }), [])
        assert.deepStrictEqual(yield* problems({}), ["expected_datamodel"])
        assert.deepStrictEqual(yield* problems({ expected_datamodel: {}, timeout: 300_001 }), [
          "expected_datamodel",
          "timeout"
        ])
        const unreadable = { type: "object", properties: { a: { type: "strnig" } } }
        assert.deepStrictEqual(yield* problems({ expected_datamodel: unreadable }), ["expected_datamodel"])
        const reading = yield* send({
          method: "POST",
          path: "/workflows",
          key,
          json: { name: "Asks", ...graphOf(site, [typeCode, askForCode]) }
        })
        assert.strictEqual(reading.status, 400)
        assert.include(reading.text, 'reads \\"context.code\\", which no node before it sets')
      })
    )
  })

  describe("for corrected inputs", () => {
    const settings = {
      enable_incorrect_form_input_recovery: true,
      input_schema: {
        type: "object",
        properties: { state: { type: "string" }, npi: { type: "string", pattern: "^\\d+$" } },
        required: ["state"],
        additionalProperties: false
      }
    }
    const inputs = { state: "Kalifornia", npi: "1" }

    it.effect("continues with those that are sent, checked with all the others", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member, send } = yield* Service
          const me = yield* member("Member")
          const run = yield* started(me, [choose], settings, inputs)
          const { payload } = yield* run.event("execution.input_required")
          assert.deepInclude(payload, {
            session_id: run.id,
            input_variables: inputs,
            reason: "incorrect_form_input",
            current_step: "INPUT_SELECT 1"
          })
          assert.notProperty(payload, "screenshot_id")
          const picture = new URL(String(payload.screenshot_url))
          const shown = yield* send({ method: "GET", path: `${picture.pathname}${picture.search}` })
          assert.deepStrictEqual([shown.status, shown.headers.get("content-type")], [200, "image/jpeg"])
          const open = yield* run.ask()
          assert.deepInclude(open.body, { kind: "input_required", input_variables: inputs, choosing: true })

          const refused = yield* run.correct({ input_variables: { npi: "x", city: "y" } })
          assert.strictEqual(refused.status, 400)
          assert.deepStrictEqual((refused.body.errors as ReadonlyArray<Body>).map(({ path }) => path).sort(), [
            "input_variables.city",
            "input_variables.npi"
          ])
          for (const json of [
            {},
            { input_variables: { state: "Texas" }, modal_action: "ok" },
            { input_variables: null, chosen_option: null },
            { modal_action: "ok" },
            { input_variables: ["Texas"] }
          ]) {
            assert.strictEqual((yield* run.correct(json)).status, 400, JSON.stringify(json))
          }
          assert.deepInclude((yield* run.answer({ state: "Texas" })).body, { statusCode: 409, code: "INPUTS_ASKED" })

          const accepted = yield* run.correct({ input_variables: { state: "Texas" } })
          assert.deepStrictEqual([accepted.status, accepted.body], [200, { session_id: run.id, success: true }])
          assert.deepInclude(yield* run.ended, { status: "execution.success", input_variables: inputs })
        })
      )
    )

    it.effect("takes an option in place of them", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const run = yield* started(yield* member("Member"), [choose], settings, inputs)
          yield* run.event("execution.input_required")
          const accepted = yield* run.correct({ chosen_option: "California", save_decision: false })
          assert.strictEqual(accepted.status, 200)
          assert.deepInclude(yield* run.ended, { status: "execution.success" })
        })
      )
    )

    it.effect("fails after the time that the workspace gives, and later answers are refused", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const run = yield* started(yield* member("Member"), [choose], settings, inputs)
          yield* run.event("execution.input_required")
          yield* TestClock.adjust(14_999)
          assert.strictEqual((yield* run.ask()).status, 200)
          yield* TestClock.adjust(1)
          const record = yield* run.ended
          assert.deepInclude((record.errors as ReadonlyArray<Body>)[0], {
            error_code: "OPTION-E0001",
            llm_error_category: "INCORRECT_FORM_INPUTS"
          })
          assert.strictEqual((yield* run.correct({ input_variables: { state: "Texas" } })).status, 400)
        })
      )
    )

    it.effect("fails without a question where the workflow does not allow one", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const run = yield* started(yield* member("Member"), [choose], {}, inputs)
          const record = yield* run.ended
          assert.strictEqual(record.status, "execution.failed")
          assert.notInclude(JSON.stringify(record.events), "input_required")
        })
      )
    )
  })

  it.effect("of another workspace is unknown, and a Viewer may not answer", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* working
        const { member } = yield* Service
        const me = yield* member("Member")
        const run = yield* started(me, [askForCode])
        yield* run.event("interaction.waiting")
        const stranger = (yield* member("Owner")).key
        const viewer = (yield* member("Viewer", me)).key
        const given = { code: "123456" }
        assert.strictEqual((yield* run.ask(stranger)).status, 404)
        assert.strictEqual((yield* run.answer(given, stranger)).status, 404)
        assert.strictEqual((yield* run.correct({ input_variables: given }, stranger)).status, 404)
        assert.strictEqual((yield* run.answer(given, viewer)).status, 403)
        assert.strictEqual((yield* run.correct({ input_variables: given }, viewer)).status, 403)
        assert.strictEqual((yield* run.answer(given)).status, 200)
        assert.deepInclude(yield* run.ended, { status: "execution.success" })
      })
    )
  )
})
