/**
 * Pages, totals and summaries of runs, over many runs: each filter alone and in pairs, first page and deep.
 * `npm run bench lists -- --runs N` fills a database with N runs. `SLUICE_BENCH_LISTS_ONLY=summary` measures the rows whose
 * names have that text.
 */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { HoldReason, type RunFilter } from "../../core/run/list/RunFilter.ts"
import * as Run from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { WorkflowId } from "../../core/workspace/Ids.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { days, filled } from "./ManyRuns.ts"
import { millis, percentile, type Row, timed } from "./Row.ts"

const flag = process.argv.indexOf("--runs")
const runs = Number(flag < 0 ? (process.env.SLUICE_BENCH_LISTS ?? 20_000) : process.argv[flag + 1])
const rounds = Number(process.env.SLUICE_BENCH_LISTS_ROUNDS ?? 12)
const only = process.env.SLUICE_BENCH_LISTS_ONLY ?? ""
const workflows = 200
const most = 50

export const lists = (): Promise<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const runtime = ManagedRuntime.make(Layer.merge(Postgres.layer(Redacted.make(url), 4), Crypto.layer))
    const measured = Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const began = performance.now()
      const made = yield* Effect.forEach(Array.from({ length: workflows }), () => makeWorkflow(caller))
      const ids = yield* filled(url, caller, made, runs)
      process.stdout.write(`${runs} runs in ${Math.round((performance.now() - began) / 1_000)} s\n`)
      const store = yield* RunStore
      const now = Date.now()
      const filters: Readonly<Record<string, RunFilter>> = {
        "status=failed": { statuses: ["execution.failed"] },
        "status=paused": { statuses: ["execution.paused"] },
        "hold=run_window": { holds: ["run_window"] },
        "hold=capacity": { holds: ["capacity"] },
        workflow: { workflowIds: [WorkflowId.make(ids[100] ?? "")] },
        "no workflow": { workflowIds: [WorkflowId.make(randomUUID())] },
        error_code: { errorCodes: ["SITE-3"] },
        credential: { credentials: ["u-1"] },
        tag: { tags: ["tag-7"] },
        "trigger=schedule": { triggers: ["schedule"] },
        text: { text: "person 77" },
        "10 days": { from: now - 20 * 86_400_000, to: now - 10 * 86_400_000 }
      }
      const month = { from: now - 300 * 86_400_000 }
      const names = Object.keys(filters)
      const cases = [
        ["none", month] as const,
        ...names.map((name) => [name, { ...month, ...filters[name] }] as const),
        ...names.flatMap((one, at) =>
          names
            .slice(at + 1)
            .map((other) => [`${one} & ${other}`, { ...month, ...filters[one], ...filters[other] }] as const)
        )
      ]
      const context = yield* Effect.context<RunStore>()
      const promised = <A, E>(effect: Effect.Effect<A, E, RunStore>) => Effect.runPromiseWith(context)(effect)
      const deepAt = now - (days / 2) * 86_400_000
      const rows: Array<Row> = []
      const measure = function* (name: string, act: () => Effect.Effect<unknown, unknown, RunStore>) {
        if (!name.includes(only)) return
        const times: Array<number> = []
        for (let round = 0; round < rounds; round++) {
          times.push(yield* Effect.promise(() => timed(() => promised(Effect.orDie(act())))))
        }
        const sorted = times.sort((a, b) => a - b)
        const p95 = percentile(sorted, 0.95)
        rows.push({
          name,
          value: millis(p95),
          reference: `p50 ${millis(percentile(sorted, 0.5))}`,
          ratio: p95 / most,
          target: `<= ${most}`,
          ok: p95 <= most
        })
      }
      for (const [name, filter] of cases) {
        yield* measure(name, () => store.list(workspaceId, { ...filter, limit: 100 }))
        yield* measure(`${name}, deep`, () =>
          store.list(workspaceId, { ...filter, limit: 100, before: { at: deepAt } })
        )
        yield* measure(`${name}, total`, () => store.count(workspaceId, filter))
      }
      yield* measure("none, page of 1000", () => store.list(workspaceId, { ...month, limit: 1_000 }))
      yield* measure("summary: all", () =>
        Effect.all([store.counts(workspaceId, month), store.tally(workspaceId, month)], { concurrency: "unbounded" })
      )
      yield* measure("summary: counts", () => store.counts(workspaceId, month))
      yield* measure("summary: tally", () => store.tally(workspaceId, month))
      // As lists are counted: a summary counts all statuses and holds at once.
      yield* measure("summary: total", () => store.count(workspaceId, month))
      for (const status of Run.Status.literals) {
        yield* measure(`summary: ${status}`, () => store.count(workspaceId, { ...month, statuses: [status] }))
      }
      for (const hold of HoldReason.literals) {
        yield* measure(`summary: ${hold}`, () => store.count(workspaceId, { ...month, holds: [hold] }))
      }
      return rows
    })
    return yield* Effect.promise(() => runtime.runPromise(measured)).pipe(
      Effect.ensuring(Effect.promise(() => runtime.dispose()))
    )
  }).pipe(Effect.scoped, Effect.runPromise)
