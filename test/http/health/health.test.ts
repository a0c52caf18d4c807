import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Option, References, Scope } from "effect"
import { Probe } from "../../../adapters/postgres/server/Probe.ts"
import * as Startup from "../../../adapters/postgres/server/Startup.ts"
import { WriteProbe, type Writes } from "../../../adapters/postgres/server/WriteProbe.ts"
import * as ZoneReport from "../../../apps/api/installation/ZoneReport.ts"
import * as Health from "../../../apps/cli/health/Health.ts"
import { ClockSkew } from "../../../core/runtime/ClockSkew.ts"
import * as Measures from "../../../core/runtime/Measures.ts"
import { make as makeSupervisor, Supervisor, unhealthyAfter } from "../../../core/runtime/Supervisor.ts"
import { parse } from "../../support/prometheus.ts"
import * as promtool from "../../support/promtool.ts"

const settings = { databaseUrl: Option.none(), healthPort: Option.some(0), healthHost: "127.0.0.1" }

const ask = (url: string, path: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`)
    return { status: answer.status, body: answer.status === 404 ? {} : ((await answer.json()) as object) }
  })

const metricsOf = (url: string) => Effect.promise(() => fetch(`${url}/metrics`).then((answer) => answer.text()))

/** The health of a process whose parts are as these switches say. */
const opened = Effect.gen(function* () {
  const switches = { answers: true, skew: 0, writes: { _tag: "Accepted" } as Writes }
  const addresses: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    const { address } = fiber.getRef(References.CurrentLogAnnotations)
    if (String(message) === "Health port opened") addresses.push(String(address))
  })
  const supervisor = makeSupervisor()
  const parts = Layer.mergeAll(
    Layer.succeed(Probe, {
      ask: Effect.sync(() => (switches.answers ? { at: 0, askedAt: 0, answeredAt: 0 } : null)),
      isSilent: Effect.sync(() => !switches.answers)
    }),
    Layer.succeed(WriteProbe, {
      ask: Effect.sync((): Writes => (switches.answers ? switches.writes : { _tag: "Unanswered" }))
    }),
    Layer.succeed(ClockSkew, { millis: Effect.sync(() => switches.skew) }),
    Layer.succeed(Supervisor, supervisor)
  )
  const health = yield* Layer.build(Health.layer(settings).pipe(Layer.provide(Logger.layer([logger]))))
  const work = yield* Scope.make()
  const begin = Layer.buildWithScope(Health.checks.pipe(Layer.provide(parts)), work).pipe(Effect.provideContext(health))
  const notToServe = Effect.flatten(Health.reasonsNotToServe).pipe(Effect.provide(parts), Effect.provideContext(health))
  const step = <A>(name: string, effect: Effect.Effect<A>) =>
    Effect.provideContext(Startup.during(name)(effect), health)
  return { url: addresses[0] ?? "", switches, supervisor, begin, notToServe, step, end: Scope.close(work, Exit.void) }
})

describe("the health port", () => {
  it.live("is open from before the work of the process begins until it has ended, and says why it is not ready", () =>
    Effect.gen(function* () {
      const { begin, end, supervisor, switches, url } = yield* opened
      const tz_data = yield* ZoneReport.now
      const reasons = (...found: ReadonlyArray<string>) => ({
        status: 503,
        body: { status: "not ready", reasons: found, tz_data }
      })
      assert.deepStrictEqual(yield* ask(url, "/healthz"), { status: 200, body: { status: "live" } })
      assert.deepStrictEqual(yield* ask(url, "/readyz"), reasons("This process is starting"))
      yield* begin
      const ready = { status: 200, body: { status: "ready", reasons: [], tz_data } }
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
          "A loop of this process fails because of internal errors: open gates",
          "The clock of this machine is 9000 ms behind that of the database: no work is claimed"
        )
      )
      switches.answers = true
      switches.writes = { _tag: "Refused", reason: "the server accepts no writes at present" }
      switches.skew = 4_000
      yield* supervisor.succeeded("open gates")
      assert.deepStrictEqual(
        yield* ask(url, "/readyz"),
        reasons("The database accepts no writes: the server accepts no writes at present")
      )
      assert.match(yield* metricsOf(url), /^sluice_database_up 1$[\s\S]*^sluice_database_writable 0$/m)
      // All connections are at work, and another one is answered.
      for (const tag of ["Unanswered", "Accepted"] as const) {
        switches.writes = { _tag: tag }
        assert.deepStrictEqual(yield* ask(url, "/readyz"), ready)
        assert.match(yield* metricsOf(url), /^sluice_database_writable 1$/m)
      }

      yield* end
      assert.deepStrictEqual(yield* ask(url, "/readyz"), reasons("This process is shutting down"))
      assert.strictEqual((yield* ask(url, "/healthz")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("names what a process does while it starts, as the port of its interface does", () =>
    Effect.gen(function* () {
      const { begin, end, notToServe, step, switches, url } = yield* opened
      const told = Effect.map(ask(url, "/readyz"), ({ body }) => Object(body).reasons)
      const waits = "it waits for its database since 2026-10-01T00:00:00.000Z"
      assert.deepStrictEqual(
        yield* step(
          waits,
          Effect.map(Effect.all([told, notToServe]), (all) => all.flat())
        ),
        [`This process is starting: ${waits}`, `This process is starting: ${waits}`]
      )
      assert.deepStrictEqual(yield* step("it migrates its database", step("it starts its browser", notToServe)), [
        "This process is starting: it migrates its database, and it starts its browser"
      ])
      assert.deepStrictEqual(yield* notToServe, ["This process is starting"])
      yield* begin
      switches.skew = 9_000
      assert.deepStrictEqual(yield* notToServe, [])
      switches.answers = false
      assert.deepStrictEqual(yield* notToServe, ["The database does not answer"])
      yield* end
      assert.deepStrictEqual(yield* notToServe, ["This process is shutting down"])
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

  it.live("answers metrics in the text format of Prometheus, with the work that this process did", () =>
    Effect.gen(function* () {
      const { begin, switches, url } = yield* opened
      yield* begin
      switches.skew = -250
      yield* Measures.runSubmitted
      yield* Measures.attemptStarted
      yield* Measures.runEnded("failed", "SELECTOR-E0001", 12)
      yield* Measures.runEnded("failed", 'a "code" of\na workspace', 90)
      yield* Measures.runEnded("stopped", null, null)
      yield* Measures.delivery("accepted")
      yield* Measures.requestAnswered("/run/:session_id", "GET", 200, 0.02)
      yield* Measures.requestAnswered("/run/:session_id", "GET", 200, 30)
      const answer = yield* Effect.promise(() => fetch(`${url}/metrics`))
      assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      const text = yield* Effect.promise(() => answer.text())
      assert.strictEqual(promtool.complaintsAbout(text), "")
      const families = parse(text)
      const valueOf = (family: string, labels: object, ending = "") =>
        families
          .get(family)
          ?.samples.find(
            (one) =>
              one.name === `${family}${ending}` &&
              Object.entries(labels).every(([name, value]) => one.labels.get(name) === value)
          )?.value
      for (const error_class of ["SELECTOR", "workflow"]) {
        assert.isAtLeast(valueOf("sluice_runs_ended_total", { result: "failed", error_class }) ?? 0, 1)
      }
      assert.isAtLeast(valueOf("sluice_runs_submitted_total", {}) ?? 0, 1)
      assert.isAtLeast(valueOf("sluice_run_attempts_total", {}) ?? 0, 1)
      for (const [error_class, seconds] of [["SELECTOR", 12] as const, ["workflow", 90] as const]) {
        const labels = { result: "failed", error_class }
        assert.isAtLeast(valueOf("sluice_run_duration_seconds", labels, "_sum") ?? 0, seconds)
      }
      assert.isAtLeast(valueOf("sluice_webhook_deliveries_total", { outcome: "accepted" }) ?? 0, 1)
      const request = { route: "/run/:session_id", method: "GET", status: "200" }
      assert.isAtLeast(valueOf("sluice_http_request_duration_seconds", request, "_count") ?? 0, 2)
      assert.strictEqual(valueOf("sluice_clock_skew_seconds", {}), -0.25)
      assert.strictEqual(valueOf("sluice_tzdata_info", { version: process.versions.tz }), 1)
      assert.strictEqual(valueOf("sluice_build_info", { node: process.versions.node }), 1)
      assert.isAtLeast(valueOf("sluice_event_loop_delay_seconds", { percentile: "100" }) ?? -1, 0)
      assert.isAbove(valueOf("process_resident_memory_bytes", {}) ?? 0, 1_000_000)
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
      assert.include(failure.message, "another process uses the port")
    }).pipe(Effect.scoped)
  )
})
