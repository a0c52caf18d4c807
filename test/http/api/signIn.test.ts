import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { asMember } from "../../support/credentials.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const site = "https://bank.example"
const browser = ScriptedBrowser.layer({
  [`${site}/`]: [
    { selector: "#user", value: "" },
    { selector: "#password", value: "", takes: { values: ["battery & staple"], leadsTo: `${site}/code` } }
  ],
  [`${site}/code`]: [{ selector: "#code", value: "", takes: { values: ["424242"], leadsTo: `${site}/home` } }],
  [`${site}/home`]: [{ selector: "//h1", text: "Hello ada@bank.example, 424242, battery & staple" }]
})

const working = Worker.run({ name: "w", capacity: 4, leaseMillis: 30_000, graceMillis: 0 }).pipe(
  Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))),
  Effect.forkScoped
)

const steps: ReadonlyArray<Step> = [
  { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.BANK.USER_NAME}}" } },
  {
    action: "INPUT_TEXT",
    parameters: { selector: "#password", text: "{{context.inputs.BANK.PASSWORD}}", submit_after_input: true }
  },
  { action: "TFA", parameters: { tfa_type: "SMS", credential: "BANK", selector: "#code" } },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
  },
  { action: "CLICK", parameters: { selector: "//nothing[.='{{context.title}}']", wait_time: 0 } }
]

type Fields = Readonly<Record<string, unknown>>

const started = Effect.fnUntraced(function* (
  user: string,
  keep: (sealed: (value: unknown) => string) => object | null
) {
  const { me, ask, sealed } = yield* asMember()
  const entry = keep(sealed)
  if (entry !== null) {
    const made = yield* ask("POST", "/vault", { permissioned_user_id: user, domain: site, ...entry })
    assert.strictEqual(made.status, 201, made.text)
  }
  const workflow = yield* ask("POST", "/workflows", {
    name: "Bank",
    ...graphOf(`${site}/`, steps),
    vault_schema: { BANK: { type: "credential", domain: site } },
    output_schema: { type: "object", properties: { title: { type: "string" } } }
  })
  assert.strictEqual(workflow.status, 201, workflow.text)
  const run = yield* ask("POST", "/run", {
    workflow_id: workflow.body.id,
    run_input_variables: { BANK: user },
    debug: true,
    additional_context: {}
  })
  const path = `/run/${run.body.session_id}`
  const record = Effect.andThen(TestClock.adjust("50 millis"), ask("GET", path))
  const untilFound = <A>(look: (body: Fields) => A | undefined) =>
    Effect.map(
      until("what the record is to have", record, ({ body }) => look(body) !== undefined),
      ({ body }) => look(body) as A
    )
  const ended = untilFound((body) => (body.execution_end === null ? undefined : body))
  return { me, ask, path, id: String(run.body.session_id), workflowId: workflow.body.id, untilFound, ended }
})

it.layer(layerInMemory)("a run that signs in", (it) => {
  it.effect("asks a person for the code as the interface says, and shows no secret in anything that it leaves", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* working
        const run = yield* started("robot", (sealed) => ({
          user_name: sealed("ada@bank.example"),
          password: sealed("battery & staple")
        }))
        const waiting = yield* run.untilFound((body) =>
          (body.events as ReadonlyArray<{ readonly event: string; readonly payload: Fields }>).find(
            ({ event }) => event === "interaction.waiting"
          )
        )
        assert.deepStrictEqual(waiting.payload, {
          session_id: run.id,
          workflow_id: run.workflowId,
          current_step: "TFA 3",
          missing_properties: ["code"],
          expected_json_schema_datamodel: {
            type: "object",
            properties: { code: { type: "string", pattern: "^[0-9]{6}$" } },
            required: ["code"]
          },
          message: "The login at https://bank.example asks for a code: enter the 6 digits that came by SMS"
        })
        const answer = yield* run.ask("POST", `${run.path}/user_interaction`, { code: "424242" })
        assert.strictEqual(answer.status, 200, answer.text)
        const body = yield* run.ended
        assert.strictEqual(body.status, "execution.failed")
        assert.deepEqual<unknown>(body.data, { title: "Hello ada@bank.example, [secret], [secret]" })
        const [error] = body.errors as ReadonlyArray<Fields>
        assert.include(error?.message, "Hello [user name], [secret], [secret]")
        const { dump, send } = yield* Service
        assert.notMatch(yield* dump, /battery|424242/)
        const besideData = JSON.stringify(body).replaceAll("Hello ada@bank.example, [secret], [secret]", "")
        assert.notInclude(besideData, "ada@bank.example")

        const second = yield* run.ask("GET", `${run.path}/debug-snapshots/00000000-0000-4000-8000-000000000002`)
        const address = new URL(String(second.body.page_snapshot_url))
        const snapshot = yield* send({ method: "GET", path: address.pathname + address.search })
        assert.include(snapshot.text, "<p>[user name]</p>")
      })
    )
  )

  it.effect("fails before it opens a page when its credential cannot be used", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const run = yield* started("nobody", () => ({}))
        // Deleted between the submission, which would be refused without it, and the start of the run.
        const pair = { permissioned_user_id: "nobody", domain: site }
        assert.strictEqual((yield* run.ask("DELETE", "/vault", pair)).status, 200)
        yield* working
        const body = yield* run.ended
        assert.strictEqual(body.status, "execution.failed")
        const [error] = body.errors as ReadonlyArray<Fields>
        assert.deepInclude(error, {
          error_code: "CREDENTIAL-E0001",
          llm_error_category: "AUTHENTICATION_ERROR",
          action_type: null,
          full_url: null
        })
        for (const part of ["BANK", '"nobody"', `"${site}"`]) assert.include(error?.message, part)
        const events = body.events as ReadonlyArray<{ readonly event: string }>
        assert.isFalse(events.some(({ event }) => event === "execution.step" || event === "screenshot.uploaded"))
      })
    )
  )
})
