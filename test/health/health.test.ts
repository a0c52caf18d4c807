import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Option, References, Scope } from "effect"
import { Probe } from "../../adapters/postgres/server/Probe.ts"
import * as Health from "../../apps/cli/health/Health.ts"
import { ClockSkew } from "../../core/runtime/ClockSkew.ts"
import { make as makeSupervisor, Supervisor, unhealthyAfter } from "../../core/runtime/Supervisor.ts"

const settings = { databaseUrl: Option.none(), healthPort: Option.some(0), healthHost: "127.0.0.1" }

const ask = (url: string, path: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`)
    return { status: answer.status, body: answer.status === 404 ? {} : ((await answer.json()) as object) }
  })

/** The health of a process whose parts are as these switches say. */
const opened = Effect.gen(function* () {
  const switches = { answers: true, skew: 0 }
  const addresses: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    const { address } = fiber.getRef(References.CurrentLogAnnotations)
    if (String(message) === "Health port opened") addresses.push(String(address))
  })
  const supervisor = makeSupervisor()
  const parts = Layer.mergeAll(
    Layer.succeed(Probe, {
      ask: Effect.sync(() => (switches.answers ? { at: 0, askedAt: 0, answeredAt: 0 } : null))
    }),
    Layer.succeed(ClockSkew, { millis: Effect.sync(() => switches.skew) }),
    Layer.succeed(Supervisor, supervisor)
  )
  const health = yield* Layer.build(Health.layer(settings).pipe(Layer.provide(Logger.layer([logger]))))
  const work = yield* Scope.make()
  const begin = Layer.buildWithScope(Health.checks.pipe(Layer.provide(parts)), work).pipe(Effect.provideContext(health))
  return { url: addresses[0] ?? "", switches, supervisor, begin, end: Scope.close(work, Exit.void) }
})

describe("the health port", () => {
  it.live("is open from before the work of the process begins until it has ended, and says why it is not ready", () =>
    Effect.gen(function* () {
      const { begin, end, supervisor, switches, url } = yield* opened
      const reasons = (...found: ReadonlyArray<string>) => ({
        status: 503,
        body: { status: "not ready", reasons: found }
      })
      assert.deepStrictEqual(yield* ask(url, "/healthz"), { status: 200, body: { status: "live" } })
      assert.deepStrictEqual(yield* ask(url, "/readyz"), reasons("This process is starting"))
      yield* begin
      const ready = { status: 200, body: { status: "ready", reasons: [] } }
      assert.deepStrictEqual(yield* ask(url, "/readyz"), ready)

      switches.answers = false
      switches.skew = -9_000
      for (let round = 0; round < unhealthyAfter; round++) {
        yield* Effect.provide(supervisor.died("open gates", new Error("why")), Logger.layer([]))
      }
      assert.deepStrictEqual(
        yield* ask(url, "/readyz"),
        reasons(
          "The database does not answer",
          "Internal errors keep this process from its work: open gates",
          "The clock of this machine is 9000 ms behind that of the database: no work is claimed"
        )
      )
      switches.answers = true
      switches.skew = 4_000
      yield* supervisor.succeeded("open gates")
      assert.deepStrictEqual(yield* ask(url, "/readyz"), ready)

      yield* end
      assert.deepStrictEqual(yield* ask(url, "/readyz"), reasons("This process is shutting down"))
      assert.strictEqual((yield* ask(url, "/healthz")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("answers the versions of the service, of the time zone data and of the schema, and nothing else", () =>
    Effect.gen(function* () {
      const { url } = yield* opened
      const { body, status } = yield* ask(url, "/version")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(Object.keys(body), ["version", "node", "tz_data", "migration"])
      assert.match(String(Object(body).version), /^\d+\.\d+\.\d+/)
      assert.match(String(Object(body).tz_data), /^20\d\d[a-z]$/)
      assert.match(String(Object(body).migration), /^\d{4}_\w+$/)
      assert.strictEqual((yield* ask(url, "/me")).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("that is taken ends the process with a sentence that names its settings", () =>
    Effect.gen(function* () {
      const other = createServer()
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      yield* Effect.callback<void>((resume) => void other.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const { port } = other.address() as AddressInfo
      const failure = yield* Effect.flip(Layer.build(Health.layer({ ...settings, healthPort: Option.some(port) })))
      assert.include(failure.message, `127.0.0.1:${port}`)
      assert.include(failure.message, "SLUICE_HEALTH_PORT")
      assert.include(failure.message, "EADDRINUSE")
    }).pipe(Effect.scoped)
  )
})
