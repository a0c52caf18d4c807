/**
 * Pages, totals and summaries of runs, over many runs: each filter alone and in pairs, first page and deep.
 * `npm run bench lists -- --runs N` fills a database with N runs. `SLUICE_BENCH_LISTS_ONLY=summary` measures the rows whose
 * names have that text.
 */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import { asValue, labelOf } from "../../adapters/postgres/list/PgRunFilter.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as RunFailure from "../../core/event/RunFailure.ts"
import { HoldReason, type RunFilter } from "../../core/run/list/RunFilter.ts"
import * as Run from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import type { Stored } from "../../core/workflow/WorkflowStore.ts"
import { WorkflowId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { millis, type Row, timed } from "./Row.ts"

const flag = process.argv.indexOf("--runs")
const runs = Number(flag < 0 ? (process.env.SLUICE_BENCH_LISTS ?? 20_000) : process.argv[flag + 1])
const rounds = Number(process.env.SLUICE_BENCH_LISTS_ROUNDS ?? 12)
const only = process.env.SLUICE_BENCH_LISTS_ONLY ?? ""
const workflows = 200
const days = 30
const most = 50

/**
 * Fills the tables in a few statements: 2 % of the runs wait, a fifth of those for a closed gate and a fifth for a pause;
 * 8 % failed with one of 20 codes, 1 % were stopped, and one in ten has one of 50 tags.
 */
const fill = Effect.fnUntraced(function* (caller: Caller, made: ReadonlyArray<Stored>) {
  const sql = yield* SqlClient.SqlClient
  const ids = JSON.stringify(
    made.map(({ version, workflow }, place) => ({ place, w: workflow.id, v: version.versionId }))
  )
  const failure = JSON.stringify([{ ...RunFailure.of({ code: "CODE", message: "No" }), id: "1", at: 0 }])
  // Triggers write one row at a time.
  yield* sql`set local session_replication_role = replica`
  yield* sql`
    insert into runs (id, workspace_id, workflow_id, version_id, status, input, options, created_at, started_at, ended_at,
      attempts, retries, max_retries, not_before, acted, committed, data, errors, trigger, tags)
    select gen_random_uuid(), ${caller.workspaceId}, w, v, status,
      '{"name":"Person ' || n || '","note":"' || repeat('x', 300) || '"}', '{}', at,
      case when status in ('execution.success', 'execution.failed') then at end,
      case when status not like '%queued' then at + interval '40 seconds' end, 1, 0, 0, at, false, false,
      '{"city":"Bern ' || n || '"}',
      case when status = 'execution.failed' then replace(${failure}::text, 'CODE', 'SITE-' || n % 20) else '[]' end,
      (array['api', 'api', 'api', 'schedule', 'retry'])[1 + n % 5],
      case when n % 10 = 3 then array['tag-' || (n / 10) % 50] else '{}' end
    from (select n, ids.w, ids.v,
        now() - interval '${sql.literal(String(days))} days' * (1 - n::float8 / ${runs}) as at,
        case when (n::bigint * 31) % 100 < 2 then 'execution.queued' when (n::bigint * 31) % 100 < 10 then 'execution.failed'
          when (n::bigint * 31) % 100 < 11 then 'execution.stopped' else 'execution.success' end as status
      from generate_series(1, ${runs}::int) n
      join json_to_recordset(${ids}::json) as ids (place int, w uuid, v uuid)
        on ids.place = (n::bigint * 7919) % ${workflows}) made order by n`
  yield* sql`
    insert into run_errors (run_id, position, workspace_id, workflow_id, at, error_code, body)
    select id, 1, workspace_id, workflow_id, ended_at, '"' || (errors::json -> 0 ->> 'code') || '"', errors
    from runs where status = 'execution.failed'`
  yield* sql`
    insert into run_labels select workspace_id, run_label('tag', tags[1]), created_at, sequence, id
    from runs where tags <> '{}'`
  yield* sql`
    insert into run_labels select workspace_id, run_label('error', '"' || (errors::json -> 0 ->> 'code') || '"'), created_at,
      sequence, id from runs where status = 'execution.failed'`
  const user = labelOf("credential", asValue("u-1"))
  yield* sql`
    insert into run_labels select workspace_id, ${user}::uuid, created_at, sequence, id from runs where sequence % 25 = 0`
  yield* sql`update gates set waiting = true`
  const gates = made.map(({ workflow }) => workflow.id)
  yield* sql`update gates set starts_at = null, paused_at = now() where ${sql.in("workflow_id", gates.slice(0, 40))}`
  yield* sql`
    update gates set starts_at = now() + interval '1 day', stops_at = now() + interval '2 days',
      run_window = ${JSON.stringify(daily(8, 9))}
    where ${sql.in("workflow_id", gates.slice(40, 80))}`
  return gates
})

/** Fills the tables, by a client whose statements take as long as they do. */
const filled = Effect.fnUntraced(function* (caller: Caller, made: ReadonlyArray<Stored>) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* sql.withTransaction(fill(caller, made))
  for (const table of ["runs", "run_labels", "run_errors", "gates"]) yield* sql`vacuum analyze ${sql(table)}`
  return ids
})

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const lists = (): Promise<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const runtime = ManagedRuntime.make(Layer.merge(Postgres.layer(Redacted.make(url), 4), Crypto.layer))
    const measured = Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const began = performance.now()
      const made = yield* Effect.forEach(Array.from({ length: workflows }), () => makeWorkflow(caller))
      const ids = yield* filled(caller, made).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) })))
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
