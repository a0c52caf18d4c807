/**
 * The gauges of an installation: one of its schedulers reads them from the database, and another takes over when that
 * one is gone.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Metric, Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as Processes from "../../adapters/postgres/server/Processes.ts"
import * as Installation from "../../apps/cli/health/Installation.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RetentionStore } from "../../core/run/retention/RetentionStore.ts"
import * as Sweep from "../../core/run/retention/Sweep.ts"
import * as Periodic from "../../core/runtime/Periodic.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { parse } from "../support/prometheus.ts"
import { awaited } from "../support/waiting.ts"

const [layer] = databases.postgres

/** What a process asks the database for: its sign of life, what waits, and what retention keeps back. */
type Asked = "alive" | "waiting" | "kept"

const questionOf = (statement: string): Asked | null => {
  if (/^\s*with beat as/.test(statement)) return "alive"
  return /from runs r join gates g using/.test(statement) ? "waiting" : null
}

const refused = Effect.fail(
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("Connection refused") }) })
)

/** A process of the installation, with metrics of its own, that writes down what it asks the database for. */
const started = Effect.fnUntraced(function* (part: "api" | "scheduler") {
  const asked: Array<Asked> = []
  const connection = { isCut: false, unanswered: 0 }
  const client = yield* SqlClient.SqlClient
  const watched = new Proxy(client, {
    apply: (target, _, [strings, ...values]: [TemplateStringsArray, ...Array<unknown>]) => {
      const question = Array.isArray(strings) ? questionOf(strings.join("?")) : null
      if (question !== null) asked.push(question)
      if (connection.isCut) return refused
      const statement = Reflect.apply(target, undefined, [strings, ...values])
      if (!Array.isArray(strings)) return statement
      return Effect.suspend(() => {
        connection.unanswered++
        return Effect.ensuring(
          statement as Effect.Effect<unknown>,
          Effect.sync(() => connection.unanswered--)
        )
      })
    }
  })
  const store = yield* RetentionStore
  const retention = RetentionStore.of({
    ...store,
    unread: (...of) =>
      Effect.andThen(
        Effect.sync(() => void asked.push("kept")),
        store.unread(...of)
      )
  })
  const metrics = new Map()
  const scope = yield* Effect.acquireRelease(Scope.make(), (one) => Scope.close(one, Exit.void))
  const jobs = Periodic.run(Sweep.sweeping({ runs: 30, artifacts: null }))
  const work = part === "api" ? Layer.empty : Layer.effectDiscard(Effect.forkScoped(jobs))
  yield* Layer.buildWithScope(
    Layer.fresh(
      work.pipe(Layer.provideMerge(Installation.layer(part)), Layer.provide([MemoryArtifacts.layer, Logger.layer([])]))
    ),
    scope
  ).pipe(
    Effect.provideService(SqlClient.SqlClient, watched),
    Effect.provideService(RetentionStore, retention),
    Effect.provideService(Metric.MetricRegistry, metrics)
  )
  // Processes that began in the same millisecond would be in the order of their random ids.
  yield* TestClock.adjust("1 second")
  const shown = Effect.map(Effect.provideService(PrometheusMetrics.format(), Metric.MetricRegistry, metrics), parse)
  return {
    asked,
    connection,
    /** The value of a metric without labels or with this reason; `null` where the process does not report it. */
    reports: (name: string, reason?: string) =>
      Effect.map(
        shown,
        (families) => families.get(name)?.samples.find(({ labels }) => labels.get("reason") === reason)?.value ?? null
      ),
    end: Scope.close(scope, Exit.void)
  }
})

type Process = Effect.Success<ReturnType<typeof started>>

const signsOf = ({ asked }: Process): number => asked.filter((one) => one === "alive").length

/** Passes time until each of these has given so many more signs of life, and never more than the database keeps up with. */
const pass = Effect.fnUntraced(function* (rounds: number, ...all: ReadonlyArray<Process>) {
  const registry = yield* Processes.make
  const wanted = all.map((one) => [one, signsOf(one) + rounds] as const)
  const passing = Effect.gen(function* () {
    while (wanted.some(([one, signs]) => signsOf(one) < signs)) {
      yield* registry.living
      if (all.every(({ connection }) => connection.unanswered === 0)) yield* TestClock.adjust("1 second")
    }
  })
  yield* awaited(`${rounds} signs of life`, passing, () => all.map(signsOf))
})

/** What each asked the database for in so many rounds from its next sign of life on, but for what retention keeps. */
const watched = Effect.fnUntraced(function* (rounds: number, ...all: ReadonlyArray<Process>) {
  const before = all.map(signsOf)
  yield* pass(rounds + 1, ...all)
  return all.map(({ asked }, index) => {
    const often = asked.filter((one) => one !== "kept")
    const signs = often.flatMap((one, at) => (one === "alive" ? [at] : []))
    const first = before[index] ?? 0
    return often.slice(signs[first], signs[first + rounds])
  })
})

const rounds = (count: number, ...each: ReadonlyArray<Asked>) => Array.from({ length: count }, () => each).flat()

it.layer(layer)("the gauges of an installation", (it) => {
  it.effect("are read by one scheduler, and by the next one when that ends or loses the database", () =>
    Effect.gen(function* () {
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      for (let index = 0; index < 2; index++) yield* (yield* RunStore).submit(submission(workflow))
      const [first, second, third, api] = [
        yield* started("scheduler"),
        yield* started("scheduler"),
        yield* started("scheduler"),
        yield* started("api")
      ]
      const reported = (name: string, reason?: string) =>
        Effect.forEach([first, second, third, api], ({ reports }) => reports(name, reason))

      const idle = rounds(4, "alive")
      assert.deepStrictEqual(yield* watched(4, first, second, third, api), [
        rounds(4, "alive", "waiting"),
        idle,
        idle,
        idle
      ])
      assert.deepStrictEqual(yield* reported("sluice_scheduler_leads"), [1, 0, 0, null])
      assert.deepStrictEqual(yield* reported("sluice_runs_waiting", "worker"), [2, 0, 0, null])
      assert.isAbove((yield* first.reports("sluice_runs_startable_seconds")) ?? 0, 60)
      // At its start, and every ten minutes.
      const kept = () => [first, second, third, api].map(({ asked }) => asked.filter((one) => one === "kept").length)
      assert.deepStrictEqual(kept(), [1, 0, 0, 0])

      yield* first.end
      const ended = first.asked.length
      assert.deepStrictEqual(yield* watched(4, second, third, api), [rounds(4, "alive", "waiting"), idle, idle])
      assert.strictEqual(first.asked.length, ended)
      yield* pass(40, second, third, api)
      assert.deepStrictEqual(kept(), [1, 1, 0, 0])

      // One that is cut off counts as alive for a while, and reports meanwhile nothing that is out of date.
      second.connection.isCut = true
      yield* pass(2, second, third, api)
      assert.deepStrictEqual((yield* reported("sluice_scheduler_leads")).slice(1), [0, 0, null])
      assert.deepStrictEqual((yield* reported("sluice_runs_waiting", "worker")).slice(1), [0, 0, null])
      yield* pass(2, third, api)
      assert.deepStrictEqual(yield* watched(4, third, api), [rounds(4, "alive", "waiting"), idle])
      assert.deepStrictEqual((yield* reported("sluice_runs_waiting", "worker")).slice(1), [0, 2, null])

      // It is the youngest when it is back.
      second.connection.isCut = false
      assert.deepStrictEqual(yield* watched(4, second, third, api), [idle, rounds(4, "alive", "waiting"), idle])
    }).pipe(Effect.scoped)
  )
})
