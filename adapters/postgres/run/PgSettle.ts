/**
 * Ends attempts in PostgreSQL.
 *
 * Most attempts end their run, and many may end at the same time. Those are settled in two statements for all: one reads
 * their gates without locks, and the runs where they are not known from their claim; the other writes what was decided
 * about each, provided that its row is still the version that was read. Every other attempt is settled in a separate
 * transaction, under the lock of its run.
 */
import { Clock, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Gate } from "../../../core/gate/Gate.ts"
import { isEnded, isRunning, type LeaseLost, type RunningRun } from "../../../core/run/Run.ts"
import type { LeaseRef } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type { Change, LockedRun } from "../../../core/run/Transition.ts"
import * as StoreUnavailable from "../../../core/runtime/StoreUnavailable.ts"
import { type HeldRuns, keyOf } from "../claim/HeldRuns.ts"
import * as PgLimits from "../claim/PgLimits.ts"
import * as PgPaces from "../claim/PgPaces.ts"
import * as PgSlots from "../claim/PgSlots.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Writing from "../Writing.ts"

/** Decides how an attempt ends. It may be called twice for one attempt, and must return the same result. */
export type Decide = (locked: LockedRun<RunningRun>, now: number) => Change

export type Settle = (
  lease: LeaseRef,
  decide: Decide
) => Effect.Effect<Change, LeaseLost | StoreUnavailable.StoreUnavailable>

/** Runs whose input and output take more bytes than this in their table are settled alone, so that a group stays small. */
const mostStored = 8_192

interface Ending {
  readonly lease: LeaseRef
  readonly decide: Decide
}

type GateRow = Gates.Row & Gates.LimitedRow

type FoundRow = Runs.Row & GateRow & { readonly seen: string }

/** A run of a lease with its gate, and the version of its row. */
interface Found {
  readonly run: RunningRun
  readonly gate: Gate
  /** Whether limits may count it. */
  readonly isLimited: boolean
  readonly seen: string
}

/** Settles attempts as the port says; `alone` settles one in a transaction. */
export const make = (sql: SqlClient.SqlClient, held: HeldRuns, alone: Settle): Settle => {
  const settleAll = Effect.fnUntraced(function* (endings: ReadonlyArray<Ending>) {
    const byLease = yield* found(
      sql,
      held,
      endings.map(({ lease }) => lease)
    )
    const at = yield* Clock.currentTimeMillis
    const decided = endings.map(({ decide, lease }) => {
      const key = keyOf(lease)
      const one = byLease.get(key)
      // Of two endings of one lease, the second one does not find the lease.
      byLease.delete(key)
      return one === undefined ? undefined : ended(one, decide, at)
    })
    const settled = yield* Writing.write(
      sql,
      decided.flatMap((one) => one?.written ?? [])
    )
    // After the ends are in effect: a claim that finds a slot taken locks the run that has it, and marks the workflow first.
    const over = decided.flatMap((one) => (one !== undefined && settled.has(one.change.run.id) ? [one] : []))
    const given = over.flatMap(({ freed }) => freed)
    const limited = over.flatMap(({ isLimited, of }) => (isLimited ? [PgLimits.drawnOf(of)] : []))
    const giveBack = withoutSqlErrors(
      Effect.flatMap(PgLimits.namesOf(sql, limited), (names) =>
        PgSlots.giveBack(sql, [...new Set([...given, ...names])])
      )
    )
    yield* Effect.ignore(StoreUnavailable.retry(giveBack))
    const paced = decided.flatMap((one) =>
      one === undefined ? [] : [{ workflowId: one.of.workflowId, pace: one.pace }]
    )
    yield* Effect.ignore(withoutSqlErrors(PgPaces.lookAgain(sql, paced)))
    return decided.map((one) =>
      one !== undefined && settled.has(one.change.run.id) ? Option.some(one.change) : Option.none()
    )
  }, withoutSqlErrors)

  const withOthers = GroupCommit.make(sql, { most: 128, groups: 2, all: settleAll })

  return (lease, decide) =>
    Effect.flatMap(withOthers({ lease, decide }), (settled) =>
      Option.isSome(settled) ? Effect.succeed(settled.value) : alone(lease, decide)
    )
}

/** The short runs of these leases that have brought no file, with their gates. Those that are held are not read again. */
const found = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, held: HeldRuns, leases: ReadonlyArray<LeaseRef>) {
  const all = new Map<string, Found>()
  const known = leases.flatMap((lease) => held.get(lease) ?? [])
  if (known.length > 0) {
    const workflowIds = [...new Set(known.map(({ run }) => run.workflowId))]
    const rows = yield* sql<GateRow>`
      select * from gates where workflow_id = any(${`{${workflowIds.join(",")}}`}::uuid[])`
    const gates = new Map<string, Pick<Found, "gate" | "isLimited">>(
      rows.map((row) => [row.workflow_id, { gate: Gates.toGate(row), isLimited: row.limited !== null }])
    )
    for (const { run, seen } of known) {
      const of = gates.get(run.workflowId)
      if (of !== undefined) all.set(keyOf({ id: run.id, fence: run.lease.fence }), { run, ...of, seen })
    }
  }
  const others = leases.filter((lease) => !all.has(keyOf(lease)))
  for (const lease of leases) held.forget(lease)
  if (others.length === 0) return all
  const rows = yield* sql<FoundRow>`
    select gates.*, runs.*, runs.xmin::text as seen
    from json_to_recordset(${JSON.stringify(others)}::json) as leases (id uuid, fence bigint)
    join runs on runs.id = leases.id and lease_fence = leases.fence
    join gates on gates.workflow_id = runs.workflow_id
    where pg_column_size(input) + pg_column_size(data) <= ${mostStored}
      and not exists (select from run_events where run_id = runs.id and event = 'file.uploaded')`
  for (const row of rows) {
    const run = Runs.toRun(row)
    if (!isRunning(run)) continue
    const { limited, seen } = row
    all.set(keyOf({ id: run.id, fence: run.lease.fence }), {
      run,
      gate: Gates.toGate(row),
      isLimited: limited !== null,
      seen
    })
  }
  return all
})

/** An end of a run as it is written. */
interface Ended {
  readonly change: Change
  readonly written: Writing.RunWrite
  /** The slots that it gives back. */
  readonly freed: ReadonlyArray<string>
  readonly of: RunningRun
  readonly pace: Gate["pace"]
  readonly isLimited: boolean
}

/** The rows that a decision writes; `undefined` if it needs more than a short row, its failures and its events. */
const ended = ({ gate, isLimited, run, seen }: Found, decide: Decide, at: number): Ended | undefined => {
  const change = decide({ run, gate, files: [] }, at)
  if (!isEnded(change.run) || change.failedLogin !== undefined) return undefined
  const written = Writing.writtenOf({ ...change, before: run }, at, seen)
  return Writing.length(written) > Writing.mostTogether
    ? undefined
    : {
        change,
        written,
        freed: Slots.freed(run.credentials, change.run.credentials),
        of: run,
        pace: gate.pace,
        isLimited
      }
}
