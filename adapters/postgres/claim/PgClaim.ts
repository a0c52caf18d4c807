/**
 * Taking runs to start them.
 *
 * A claim chooses gates that have waiting runs and let them start, takes share locks on them, and only then reads the
 * clock and looks whether they still do. Until it commits no gate that it chose can change; and an edit that was first
 * is seen. It touches open gates with waiting runs only, so what is held costs nothing.
 *
 * Locks are taken in one order, so that no two claims wait for each other: gates, entries of the vault, runs. Runs that
 * others have locked are passed over.
 */

import { Clock, Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import * as Run from "../../../core/run/Run.ts"
import type { Claimed } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { transaction } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Writing from "../Writing.ts"
import * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"

interface Options {
  readonly worker: string
  readonly limit: number
  readonly leaseMillis: number
  /** The ends of looks at many queues, kept from one claim to the next. */
  readonly places: PgQueues.Places
}

type LockedGate = Gates.Row & Gates.IntervalRow & { readonly slots: boolean }

/**
 * Claims, and settles whose turn it is next.
 *
 * Gates that turn out to have no run to give, as when their runs were interrupted or wait for credentials, must not
 * hide those that have: while there were as many candidates as asked for and too few runs, it continues with more of
 * them. It also continues if another process took the runs that it had chosen.
 */
export const claim = (
  sql: SqlClient.SqlClient,
  options: Options
): Effect.Effect<ReadonlyArray<Claimed>, StoreUnavailable> =>
  Effect.gen(function* () {
    const all: Array<Claimed> = []
    for (let round = 0; round < maxRounds; round++) {
      const wanted = options.limit - all.length
      const asked = Math.max(wanted, Math.min(2 ** round, mostCandidates))
      const taken = yield* Effect.result(transaction(sql, take(sql, { ...options, limit: wanted, candidates: asked })))
      // Runs that an earlier round has claimed are returned, also where the database has gone since.
      if (Result.isFailure(taken)) return all.length > 0 ? all : yield* taken.failure
      const { candidates, claimed, looked, outrun } = taken.success
      all.push(...claimed)
      if (looked.length > 0) yield* Effect.ignore(settleTurns(sql, looked))
      if (all.length === options.limit || (candidates < asked && !outrun)) break
    }
    return all
  })

/** A bound for the case that the gates in front stay locked by others. */
const maxRounds = 50
const mostCandidates = 256

const nothing = { claimed: [], looked: [], candidates: 0, outrun: false }

const take = (
  sql: SqlClient.SqlClient,
  { candidates: asked, leaseMillis, limit, places, worker }: Options & { readonly candidates: number }
) =>
  Effect.gen(function* () {
    const before = new Date(yield* Clock.currentTimeMillis)
    const candidates = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates
      where waiting and starts_at <= ${before} and (stops_at is null or stops_at > ${before})
      order by served_at nulls first, workflow_id limit ${asked}`
    if (candidates.length === 0) return nothing
    const locked = yield* sql<LockedGate>`
      select * from gates where ${sql.in(
        "workflow_id",
        candidates.map((row) => row.workflow_id)
      )}
      order by workflow_id for share`
    const now = yield* Clock.currentTimeMillis
    const byTurn = new Map(candidates.map((row, turn) => [row.workflow_id, turn]))
    const open = locked
      .filter((gate) => isOpen(gate, now))
      .sort((a, b) => (byTurn.get(a.workflow_id) ?? 0) - (byTurn.get(b.workflow_id) ?? 0))

    const ledger = PgSlots.ledger(sql, now)
    const queues = new Map(
      open
        .filter((gate) => gate.slots)
        .map((gate) => [
          gate.workflow_id,
          PgQueues.startable(sql, ledger, gate.workflow_id, { now, most: limit, places })
        ])
    )
    const rows: Array<Runs.Row> = []
    const assigned: Array<PgSlots.Assigned> = []
    const visited = new Set<string>()
    const left = () => limit - rows.length - assigned.length
    let willing: ReadonlyArray<LockedGate> = open
    while (left() > 0 && willing.length > 0) {
      // Everybody's share first; what some leave goes round again.
      const share = Math.ceil(left() / willing.length)
      const still: Array<LockedGate> = []
      for (const gate of willing) {
        const wanted = Math.min(share, left())
        if (wanted === 0) break
        visited.add(gate.workflow_id)
        const next = queues.get(gate.workflow_id)
        const before = left()
        if (next === undefined) rows.push(...(yield* oldest(sql, gate.workflow_id, rows, wanted, now)))
        else assigned.push(...(yield* next(wanted)))
        if (before - left() === wanted) still.push(gate)
      }
      willing = still
    }
    const confirmed = assigned.length === 0 ? [] : yield* ledger.confirm(assigned)
    const started = confirmed.length === 0 ? [] : yield* those(sql, confirmed, now)
    rows.push(...started)
    const looked = [...visited]
    const outrun = started.length < assigned.length
    if (rows.length === 0) return { ...nothing, looked, candidates: candidates.length, outrun }

    const fences = yield* sql<{ readonly fence: bigint }>`
      select nextval('run_fences') as fence from generate_series(1, ${rows.length}::integer)`
    const gates = new Map(open.map((gate) => [gate.workflow_id, Gates.toGate(gate)]))
    const given = new Map(confirmed.map(({ credentials, id }) => [id, credentials]))
    const changes = rows.map(Runs.toRun).flatMap((run, index) => {
      const gate = gates.get(run.workflowId)
      const fence = fences[index]?.fence
      if (gate === undefined || fence === undefined) throw new Error(`Claimed run ${run.id} without its gate or fence`)
      const lease = { worker, fence: Number(fence), until: now + leaseMillis }
      const change = Run.isWaiting(run) ? Transition.claim(run, gate, lease, now, given.get(run.id)) : null
      return change ?? []
    })
    if (changes.length < rows.length) {
      yield* Effect.logError("Some runs stay waiting: the database says that they may start, and their gate does not")
    }
    yield* Writing.changes(sql, changes, now)
    for (const { run } of changes) yield* PgSlots.serve(sql, run.credentials, BigInt(run.lease.fence))
    const versions = yield* sql<Workflows.VersionRow>`
      select * from workflow_versions where ${sql.in("version_id", [...new Set(rows.map((row) => row.version_id))])}`
    const byId = new Map(versions.map((row) => [row.version_id, Workflows.toVersion(row)]))
    return {
      claimed: changes.map(({ run }): Claimed => {
        const version = byId.get(run.versionId)
        // Undone with its transaction: the run is not dropped, and the log says why it cannot start.
        if (version === undefined) throw new Error(`Run ${run.id} has version ${run.versionId}, which is not there`)
        return { run, version }
      }),
      looked,
      candidates: candidates.length,
      outrun
    }
  })

const isOpen = (gate: LockedGate, now: number): boolean =>
  gate.starts_at !== null &&
  gate.starts_at.getTime() <= now &&
  (gate.stops_at === null || gate.stops_at.getTime() > now)

const oldest = (
  sql: SqlClient.SqlClient,
  workflowId: string,
  taken: ReadonlyArray<Runs.Row>,
  wanted: number,
  now: number
) => sql<Runs.Row>`
  select * from runs
  where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
    and not_before <= ${new Date(now)}
    and ${
      taken.length === 0
        ? sql`true`
        : sql`not ${sql.in(
            "id",
            taken.map((row) => row.id)
          )}`
    }
  order by sequence limit ${wanted} for update skip locked`

/** Those of these runs that no other process has taken, in their order. */
const those = (sql: SqlClient.SqlClient, assigned: ReadonlyArray<PgSlots.Assigned>, now: number) =>
  Effect.map(
    sql<Runs.Row>`
      select * from runs where ${sql.in(
        "id",
        assigned.map(({ id }) => id)
      )} and status in ('execution.queued', 'execution.requeued') and not_before <= ${new Date(now)}
      for update skip locked`,
    (rows) => {
      const byId = new Map(rows.map((row) => [row.id, row]))
      return assigned.flatMap(({ id }) => byId.get(id) ?? [])
    }
  )

/**
 * Lets the others go first next time, and forgets a workflow without waiting runs until the next submission.
 *
 * Whether there are any is asked after the gate's row is locked, in a separate statement: a submission that the lock
 * waited for is seen then, and one that comes later finds the workflow forgotten and says so.
 */
const settleTurns = (sql: SqlClient.SqlClient, workflowIds: ReadonlyArray<string>) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const now = new Date(yield* Clock.currentTimeMillis)
      const locked = yield* sql<{ readonly workflow_id: string }>`
        select workflow_id from gates where ${sql.in("workflow_id", workflowIds)}
        order by workflow_id for no key update skip locked`
      if (locked.length === 0) return
      // Ordered, so that the index answers: where most runs are of one workflow, a plain EXISTS is planned as a scan of all
      // runs, which took 11 ms beside 100,000 held ones.
      yield* sql`
        update gates set served_at = ${now}, waiting = (
          select sequence from runs where runs.workflow_id = gates.workflow_id
            and status in ('execution.queued', 'execution.requeued')
          order by sequence limit 1) is not null
        where ${sql.in(
          "workflow_id",
          locked.map((row) => row.workflow_id)
        )}`
    })
  )
