import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Tracer } from "effect"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { canary, leaksIn } from "../../support/canaries.ts"
import { asMember } from "../../support/credentials.ts"
import { layer } from "../../support/service.ts"

const site = "https://bank.example"
const browser = ScriptedBrowser.layer({ [`${site}/`]: [{ selector: "#user", value: "" }] })

/** Keeps every span with all that is said of it. */
const recorder = () => {
  const said: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const read = () => {
    for (const { attributes, events, name, status } of spans) {
      said.push(
        name,
        JSON.stringify([...attributes]),
        JSON.stringify(events, (_, value) => (typeof value === "bigint" ? `${value}` : value))
      )
      if (status._tag === "Ended" && status.exit._tag === "Failure") said.push(Cause.pretty(status.exit.cause))
    }
    return said.join("\n")
  }
  return { tracer, read, spans }
}

it.layer(layer)("a run that is traced", (it) => {
  it.effect("says nothing secret in any span, also where it fails", () =>
    Effect.gen(function* () {
      const secrets = [canary("user name"), canary("password")] as const
      const { ask, sealed } = yield* asMember()
      const [name, password] = secrets.map(({ value }) => sealed(value))
      yield* ask("POST", "/vault", { permissioned_user_id: "ada", domain: site, user_name: name, password })
      const workflow = yield* ask("POST", "/workflows", {
        name: "Bank",
        vault_schema: { BANK: { type: "credential", domain: site } },
        ...graphOf(`${site}/`, [
          { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.BANK.USER_NAME}}" } },
          {
            action: "INPUT_TEXT",
            parameters: { selector: "#none", text: "{{context.inputs.BANK.PASSWORD}}", wait_time: 0 }
          }
        ])
      })
      const run = yield* ask("POST", "/run", { workflow_id: workflow.body.id, run_input_variables: { BANK: "ada" } })
      const { read, spans, tracer } = recorder()
      yield* Effect.gen(function* () {
        const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true })
      }).pipe(
        Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))),
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.scoped
      )
      const { body } = yield* ask("GET", `/run/${run.body.session_id}`)
      assert.strictEqual(body.status, "execution.failed")
      assert.isAbove(spans.length, 5)
      assert.include(read(), "Accounts.open")
      assert.deepStrictEqual(leaksIn([{ channel: "traces", bytes: read() }], secrets), [])
    })
  )
})
