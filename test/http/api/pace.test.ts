import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkerCapacity } from "../../../core/gate/WorkerCapacity.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { held } from "../../kit/contracts/start/CredentialRuns.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Owner")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  const id = String((yield* ask("POST", "/workflows", { name: "Nightly", ...graph() })).body.id)
  return { ask, id, pace: `/workflows/${id}/pace` }
})

const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 10, leaseMillis: 60_000 }))

it.layer(layerInMemory)("the pace of a workflow", (it) => {
  it.effect("is read, set, in force at once, and in the audit trail", () =>
    Effect.gen(function* () {
      const { ask, id, pace } = yield* setUp
      const none = { max_starts_per_minute: null, max_running: null }
      assert.deepStrictEqual((yield* ask("GET", pace)).body, none)
      const limits = { max_starts_per_minute: null, max_running: 2 }
      assert.deepStrictEqual((yield* ask("PUT", pace, limits)).body, limits)
      assert.deepStrictEqual((yield* ask("PUT", pace, limits)).status, 200)
      for (let count = 0; count < 4; count++) yield* ask("POST", "/run", { workflow_id: id })
      assert.lengthOf(yield* claim, 2)
      assert.deepStrictEqual((yield* ask("PUT", pace, none)).body, none)
      assert.lengthOf(yield* claim, 2)
      const entries = (yield* ask("GET", "/audit?action=pace")).body.entries as ReadonlyArray<object>
      assert.lengthOf(entries, 2)
      assert.deepInclude(entries[0], { action: "pace.remove", resource_id: id, before: limits, after: null })
      assert.deepInclude(entries[1], { action: "pace.set", resource_id: id, before: null, after: limits })
    })
  )

  it.effect("refuses limits out of their bounds and a body that leaves one out, and changes nothing", () =>
    Effect.gen(function* () {
      const { ask, pace } = yield* setUp
      const limits = { max_starts_per_minute: 30, max_running: null }
      yield* ask("PUT", pace, limits)
      for (const wrong of [
        { ...limits, max_starts_per_minute: 0 },
        { ...limits, max_starts_per_minute: 1.5 },
        { ...limits, max_running: 10_001 },
        { max_start_per_minute: 30, max_running: 1 }
      ]) {
        const refused = yield* ask("PUT", pace, wrong)
        assert.strictEqual(refused.status, 400)
        assert.match(String(refused.body.message), /max_(starts_per_minute|running)/)
      }
      assert.deepStrictEqual((yield* ask("GET", pace)).body, limits)
    })
  )

  it.effect("a run has its priority and deadline in its record, and fails with its code where it is too late", () =>
    Effect.gen(function* () {
      const { ask, id } = yield* setUp
      const sent = { workflow_id: id, priority: 5, start_by: "1970-01-01T01:00:00+01:00" }
      for (const [wrong, path] of [
        [{ ...sent, start_by: "1970-01-01T01:00:00+01:00" }, "start_by"],
        [{ ...sent, start_by: "tomorrow" }, "start_by"],
        [{ ...sent, start_by: "2070-01-01T00:00:00Z", priority: 11 }, "priority"]
      ] as const) {
        const refused = yield* ask("POST", "/run", wrong)
        assert.strictEqual(refused.status, 400)
        assert.include(String(refused.body.message), path)
      }
      const started = yield* ask("POST", "/run", { ...sent, start_by: "1970-01-01T01:00:10+01:00" })
      const path = `/run/${String(started.body.session_id)}`
      assert.deepInclude((yield* ask("GET", path)).body, { priority: 5, start_by: "1970-01-01T00:00:10.000Z" })
      yield* TestClock.setTime(10_000)
      assert.lengthOf(yield* claim, 0)
      yield* (yield* RunStore).reap(10, Transition.reap)
      const { body } = yield* ask("GET", path)
      assert.strictEqual(body.status, "execution.failed")
      assert.deepInclude((body.errors as ReadonlyArray<object>)[0], { error_code: "EXPIRED-E0002" })
      // A retry keeps the priority, and has no deadline.
      const retried = yield* ask("POST", "/runs/retry", { session_ids: [started.body.session_id] })
      const [{ retry_session_id }] = retried.body.results as [{ retry_session_id: string }]
      assert.deepInclude((yield* ask("GET", `/run/${retry_session_id}`)).body, { priority: 5, start_by: null })
    })
  )

  it.effect("forecasts when waiting runs start, in their records, in the summary and in the preview of a window", () =>
    Effect.gen(function* () {
      const { ask, id, pace } = yield* setUp
      const now = yield* Clock.currentTimeMillis
      yield* ask("PUT", pace, { max_starts_per_minute: 1, max_running: null })
      const sent: Array<string> = []
      for (let count = 0; count < 3; count++) {
        sent.push(String((yield* ask("POST", "/run", { workflow_id: id })).body.session_id))
      }
      const canStart = (index: number) =>
        Effect.map(ask("GET", `/run/${sent[index]}`), ({ body }) => [body.can_start_at, body.can_start_reason])
      const iso = (at: number) => new Date(at).toISOString()
      const at = (millis: number) => iso(now + millis)
      assert.deepStrictEqual(yield* canStart(0), [at(0), null])
      assert.deepStrictEqual(yield* canStart(2), [at(120_500), "pace"])
      const forecast = {
        waiting: 3,
        at_least: false,
        expiring: 0,
        first_expires_at: null,
        first_start_at: at(0),
        last_start_at: at(120_500),
        closes_at: null,
        unfit: 0,
        limited_by: "max_starts_per_minute",
        workers: null,
        mean_duration_ms: null
      }
      const { body } = yield* ask("GET", `/runs/summary?workflow_id=${id}`)
      assert.deepStrictEqual(body.forecasts, [{ workflow_id: id, ...forecast }])
      const preview = yield* ask("POST", `/workflows/${id}/run-window/preview`, daily(9, 17))
      const hours = 3_600_000
      assert.deepStrictEqual(preview.body.forecast, {
        ...forecast,
        first_start_at: iso(9 * hours),
        last_start_at: iso(9 * hours + 120_500),
        closes_at: iso(17 * hours)
      })
      yield* ask("PUT", `/workflows/${id}/run-window`, daily(9, 17))
      assert.deepStrictEqual(yield* canStart(0), [iso(9 * hours), "run_window"])
      assert.deepStrictEqual(yield* canStart(1), [iso(9 * hours + 60_250), "pace"])
    })
  )

  it.effect("takes the bodies of its page as they stand there", () =>
    Effect.gen(function* () {
      const { ask, id, pace } = yield* setUp
      const page = pages().find(({ path }) => path === "docs/pace.md") ?? assert.fail("There is no page")
      const [limits, run] = fencesOf(page).map(({ text }) =>
        JSON.parse(text.replaceAll("01890a5d-ac96-774b-bcce-b302099a8057", id))
      )
      assert.deepStrictEqual((yield* ask("PUT", pace, limits)).body, limits)
      assert.strictEqual((yield* ask("POST", "/run", run)).status, 201)
    })
  )
})

const workers = { capacity: 2, running: 1 }
const withWorkers = Layer.fresh(layerInMemory).pipe(
  Layer.provide(Layer.succeed(WorkerCapacity, { current: Effect.succeed(workers) }))
)

it.layer(withWorkers)("the forecast of a workflow without a pace", (it) => {
  it.effect("counts on the workers, in the record of a run, in the summary that names it, and in a preview", () =>
    Effect.gen(function* () {
      const { ask, id } = yield* setUp
      const runs = yield* RunStore
      const submit = Effect.map(ask("POST", "/run", { workflow_id: id }), ({ body }) => String(body.session_id))
      yield* submit
      const [claimed = assert.fail("None was claimed")] = yield* claim
      yield* TestClock.adjust(60_000)
      yield* runs.settle(held(claimed), (locked, at) => Transition.finish(locked, { _tag: "Success", data: {} }, at))
      const sent = [yield* submit, yield* submit]
      const now = yield* Clock.currentTimeMillis
      const iso = (at: number) => new Date(now + at).toISOString()
      const records = yield* Effect.forEach(sent, (run) => ask("GET", `/run/${run}`))
      assert.deepStrictEqual(
        records.map(({ body }) => [body.can_start_at, body.can_start_reason]),
        [
          [iso(0), null],
          [iso(60_000), "capacity"]
        ]
      )
      const last = { waiting: 2, last_start_at: iso(60_000), limited_by: "workers", workers, mean_duration_ms: 60_000 }
      const named = yield* ask("GET", `/runs/summary?workflow_id=${id}`)
      const [forecast] = named.body.forecasts as ReadonlyArray<object>
      assert.deepInclude(forecast, { workflow_id: id, ...last })
      assert.deepStrictEqual((yield* ask("GET", "/runs/summary")).body.forecasts, [])
      const preview = yield* ask("POST", `/workflows/${id}/run-window/preview`, daily(9, 17))
      // At the opening none of the others is in progress any more.
      assert.deepInclude(preview.body.forecast as object, { waiting: 2, limited_by: null, workers })
    })
  )
})
