import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

/** Reads no graph within its time, as on a machine that is slower than the one where the workflow was saved. */
const slow: Sandbox.Shape = {
  run: (owner, name, asked) =>
    name === "readGraph"
      ? Effect.fail(new Sandbox.TooCostly({ exceeded: "time", limit: "10 s" }))
      : Sandbox.inProcess.run(owner, name, asked)
}

const working = Worker.run({ name: "w", capacity: 1, leaseMillis: 30_000, graceMillis: 0 }).pipe(
  Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(ScriptedBrowser.layer({}))))),
  Effect.provideService(Sandbox.Sandbox, slow),
  Effect.forkScoped
)

it.layer(layerInMemory)("a run whose graph takes too long to be read", (it) => {
  it.effect("fails with LIMIT-E0007, which says what was exceeded", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const json = { name: "Long", ...graphOf("https://site.test/", []) }
      const saved = yield* send({ method: "POST", path: "/workflows", key, json })
      assert.strictEqual(saved.status, 201, saved.text)
      const run = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: saved.body.id } })
      yield* working
      const record = Effect.andThen(
        TestClock.adjust("50 millis"),
        send({ method: "GET", path: `/run/${run.body.session_id}`, key })
      )
      const ended = yield* until("the end of the run", record, ({ body }) => body.execution_end !== null)
      const told = JSON.stringify(ended.body)
      assert.include(told, "LIMIT-E0007")
      assert.include(told, "The check takes longer than 10 s")
    })
  )
})
