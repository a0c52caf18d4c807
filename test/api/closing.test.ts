import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Closing } from "../../apps/api/http/Closing.ts"
import { kindsOf, openRaw } from "../support/clients.ts"
import { graph } from "../support/fixtures.ts"
import * as TestService from "../support/service.ts"
import { openGate, layerWith as worker } from "../support/worker.ts"

const { Service } = TestService

it.live(
  "a closing server says so, serves for its grace, and closes once its runs and their streams have ended",
  () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const layer = worker(20_000).pipe(Layer.provideMerge(TestService.layerWith({ graceMillis: 300 })))
      const services = yield* Layer.buildWithScope(layer, scope)
      const { member, send, url } = Context.get(services, Service)
      const { key } = yield* member("Owner")
      const { body } = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Slow", ...graph() } })
      const client = randomUUID()
      const stream = openRaw(url, `/run/clients/${client}/events`, key)
      const started = yield* send({
        method: "POST",
        path: "/run",
        key,
        json: { workflow_id: body.id, run_input_variables: { gate: "closing" }, client_id: client }
      })
      const session = String(started.body.session_id)
      yield* Effect.promise(() => stream.until((all) => kindsOf(all, session).includes("execution.start")))
      assert.strictEqual((yield* send({ method: "GET", path: "/readyz" })).status, 200)

      yield* Context.get(services, Closing).leave
      const leaving = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      const refused = yield* send({ method: "GET", path: "/readyz" })
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.body.message, "This process is shutting down")
      // The run is still carried out, so new connections are served however long that takes.
      yield* Effect.sleep("500 millis")
      const listed = yield* send({ method: "GET", path: "/workflows", key })
      assert.strictEqual(listed.status, 200)
      assert.strictEqual(listed.headers.get("connection"), "close")

      yield* openGate("closing")
      yield* Effect.promise(() => stream.ended)
      assert.include(kindsOf(stream.body(), session), "execution.success")
      yield* Fiber.join(leaving)
      const unreachable = yield* Effect.flip(Effect.tryPromise(() => fetch(`${url}/healthz`)))
      assert.isDefined(unreachable)
    }),
  60_000
)
