/**
 * Ends attempts in PostgreSQL.
 *
 * Most attempts end their run, and many may end at the same time. Those are settled in two statements for all: one reads
 * the runs without locks, the other writes what was decided about each, provided that its row is still the version that
 * was read. Every other attempt is settled in a separate transaction, under the lock of its run.
 */
import { Clock, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { isEnded, isRunning, type LeaseLost, type RunningRun } from "../../../core/run/Run.ts"
import type { LeaseRef } from "../../../core/run/RunStore.ts"
import type { Change, LockedRun } from "../../../core/run/Transition.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import * as Together from "../Together.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Evidence from "../tables/Evidence.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"

/** Decides how an attempt ends. It may be asked twice about one attempt, and must answer alike. */
export type Decide = (locked: LockedRun<RunningRun>, now: number) => Change

export type Settle = (lease: LeaseRef, decide: Decide) => Effect.Effect<Change, LeaseLost | StoreUnavailable>

/** Runs whose input and output take more bytes than this in their table are settled alone, so that a group stays small. */
const mostStored = 8_192
/** The same, for what is written of one run, in characters. */
const mostWritten = 131_072

interface Ending {
  readonly lease: LeaseRef
  readonly decide: Decide
}

type FoundRow = Runs.Row & Gates.Row & { readonly seen: string }

/** Settles attempts as the port says; `alone` settles one in a transaction. */
export const make = (sql: SqlClient.SqlClient, alone: Settle): Settle => {
  const settleAll = Effect.fnUntraced(function* (endings: ReadonlyArray<Ending>) {
    const rows = yield* found(
      sql,
      endings.map(({ lease }) => lease)
    )
    const byLease = new Map(rows.map((row) => [`${row.id} ${row.lease_fence}`, row]))
    const at = yield* Clock.currentTimeMillis
    const decided = endings.map(({ decide, lease: { fence, id } }) => {
      const row = byLease.get(`${id} ${fence}`)
      // Two endings of one lease: the second one finds its lease gone.
      byLease.delete(`${id} ${fence}`)
      return row === undefined ? undefined : written(row, decide, at)
    })
    const settled = yield* write(
      sql,
      decided.filter((one) => one !== undefined)
    )
    return decided.map((one) => (one !== undefined && settled.has(one.id) ? Option.some(one.change) : Option.none()))
  }, withoutSqlErrors)

  const withOthers = Together.make(sql, { most: 128, groups: 2, all: settleAll })

  return (lease, decide) =>
    Effect.flatMap(withOthers({ lease, decide }), (settled) =>
      Option.isSome(settled) ? Effect.succeed(settled.value) : alone(lease, decide)
    )
}

/** The short runs of these leases that have brought no file, with their gates. */
const found = (sql: SqlClient.SqlClient, leases: ReadonlyArray<LeaseRef>) => sql<FoundRow>`
  select gates.*, runs.*, runs.xmin::text as seen
  from json_to_recordset(${JSON.stringify(leases)}::json) as leases (id uuid, fence bigint)
  join runs on runs.id = leases.id and lease_fence = leases.fence
  join gates on gates.workflow_id = runs.workflow_id
  where pg_column_size(input) + pg_column_size(data) <= ${mostStored}
    and not exists (select from run_events where run_id = runs.id and event = 'file.uploaded')`

/** An end of a run as it is written. */
interface Written {
  readonly id: string
  readonly change: Change
  readonly run: Readonly<Record<string, unknown>>
  readonly errors: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly events: ReadonlyArray<ReturnType<typeof Events.table.encode>>
}

/** What a decision writes; `undefined` where that takes more than a short row, its errors and its events. */
const written = (row: FoundRow, decide: Decide, at: number): Written | undefined => {
  const before = Runs.toRun(row)
  if (!isRunning(before)) return undefined
  const change = decide({ run: before, gate: Gates.toGate(row), files: [] }, at)
  const { run } = change
  if (!isEnded(run) || change.failedLogin !== undefined) return undefined
  const events = change.events.map((event) => Events.table.encode({ runId: run.id, at, event }))
  const characters = events.reduce((sum, { payload }) => sum + String(payload).length, 0)
  if (characters > mostWritten) return undefined
  const errors = run.errors.map((error, index) => Evidence.errors.encode({ run, position: index + 1, error }))
  return { id: run.id, change, run: { ...Runs.states.encode(run), seen: row.seen }, errors, events }
}

/** Writes those whose rows have not changed since they were read, and answers their ids. */
const write = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, all: ReadonlyArray<Written>) {
  if (all.length === 0) return new Set<string>()
  const runs = all.map(({ run }) => run)
  const errors = all.flatMap((one) => one.errors)
  const events = all.flatMap((one) => one.events).map((event, position) => ({ ...event, position }))
  // Rows are locked in the order of their ids, as wherever several are.
  const rows = yield* sql<{ readonly id: string }>`
    with new as materialized (
      select * from ${Table.recordset(sql, Runs.states, "new", runs, { seen: "text" })}
    ), locked as materialized (
      select runs.id from runs join new on new.id = runs.id where runs.xmin::text = new.seen
      order by runs.id for no key update of runs
    ), changed as (
      update runs set ${Table.assignments(sql, Runs.states, "new")}
      from new join locked using (id) where runs.id = new.id returning runs.id
    ), failed as (
      insert into run_errors (${Table.names(sql, Evidence.errors)})
      select ${Table.names(sql, Evidence.errors, "error")}
      from ${Table.recordset(sql, Evidence.errors, "error", errors)} join changed on changed.id = error.run_id
      on conflict (run_id, position) do nothing
    ), told as (
      insert into run_events (${Table.names(sql, Events.table)})
      select ${Table.names(sql, Events.table, "event")}
      from ${Table.recordset(sql, Events.table, "event", events, { position: "integer" })}
      join changed on changed.id = event.run_id order by event.position
    )
    select id from changed`
  return new Set(rows.map(({ id }) => id))
})
