/**
 * The turns of workflows at claims. Which workflow was served last decides which one comes first, and a workflow without a
 * startable run is not examined until it may have one.
 */
import { Clock, Effect, type Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as PgLimits from "./PgLimits.ts"
import * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"
import * as ReleasedRuns from "./ReleasedRuns.ts"

/** The result of a claim for one workflow. */
export interface Turn {
  /** Whether it had fewer startable runs than wanted. */
  readonly isEmpty: boolean
  /** The queues that wait for an entry, with its name, if all requested waiting runs of the workflow wait for one. */
  readonly blocked: ReadonlyMap<string, string> | null
  /** The limits that runs of it wait for, if no run of it could start any more. */
  readonly held: PgLimits.Hold | null
  /** Which of its runs were considered. */
  readonly among: ReleasedRuns.Among
}

/** The turns that a process has not written yet. */
export interface Past {
  /** By the id of the workflow. */
  readonly turns: Map<string, Turn>
  /** The lock for writing them. */
  readonly writing: Semaphore.Semaphore
}

/**
 * Puts the other gates first next time, and stops examining workflows that may have no run to start. A workflow for
 * which that fails is examined again.
 */
export const settle = (sql: SqlClient.SqlClient, { turns, writing }: Past): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (turns.size === 0) return
    const now = yield* Clock.currentTimeMillis
    const over = [...turns]
    turns.clear()
    const emptied = over.filter(([, { among, isEmpty }]) => isEmpty && among === "all")
    const emptiedOfReleased = over.filter(([, { among, isEmpty }]) => isEmpty && among !== "all")
    const others = over.filter(([, { isEmpty }]) => !isEmpty).map(([workflowId]) => workflowId)
    if (others.length > 0) {
      yield* withoutSqlErrors(sql`
        update gates set served_at = ${new Date(now)} where workflow_id in (
          select workflow_id from gates where ${sql.in("workflow_id", others)}
          order by workflow_id for no key update skip locked)`)
    }
    if (emptied.length > 0) yield* transaction(sql, forget(sql, new Map(emptied), now))
    if (emptiedOfReleased.length > 0) {
      yield* transaction(sql, forgetReleased(sql, new Map(emptiedOfReleased), now))
    }
  }).pipe(Effect.ignore, writing.withPermit)

/** The fallback for a lost wake: after this time claims look again at a workflow whose runs wait for a credential. */
const blockedMillis = 600_000
/** Workflows with runs in more queues than this are always looked at. */
const mostBlockedQueues = 8

/**
 * Stops examining workflows without waiting runs until the next submission, workflows whose waiting runs are all postponed
 * until the first of them may start, and workflows whose runs all wait for an entry until one of its slots is released.
 *
 * They are determined after the gate's row is locked, in a separate statement: a submission that the lock waited for is
 * seen, and a later one finds the mark and clears it.
 */
const forget = (sql: SqlClient.SqlClient, turns: ReadonlyMap<string, Turn>, now: number) =>
  Effect.gen(function* () {
    const locked = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where ${sql.in("workflow_id", [...turns.keys()])}
      order by workflow_id for no key update skip locked`
    if (locked.length === 0) return
    const blocked = yield* stillBlocked(sql, locked, turns, now)
    const limited = yield* stillHeld(sql, locked, turns, now)
    const forgotten = locked.map(({ workflow_id }) => {
      const { held = null } = turns.get(workflow_id) ?? {}
      const names = blocked.get(workflow_id) ?? limited.get(workflow_id) ?? null
      return { workflow_id, names, ...(held === null ? {} : heldRow(held)) }
    })
    // Ordered, so that the index answers: where most runs are of one workflow, a plain EXISTS is planned as a scan of all
    // runs, which took 11 ms beside 100,000 held ones.
    const waiting = sql`select sequence from runs
      where runs.workflow_id = gates.workflow_id and status in ('execution.queued', 'execution.requeued')`
    const putOff = sql`(select not_before from runs where runs.workflow_id = gates.workflow_id
      and status = 'execution.requeued' and not_before > ${new Date(now)} order by not_before limit 1)`
    yield* sql`
      update gates set served_at = case when keeps_turn then served_at else ${new Date(now)} end, blocked_on = names,
        waiting = (${waiting} order by sequence limit 1) is not null,
        released_ready_at = case when released_ready_at is not null and exists (
            select from runs where runs.workflow_id = gates.workflow_id
              and status in ('execution.queued', 'execution.requeued') and released_at is not null)
          then ${new Date(now + blockedMillis)}::timestamptz end,
        ready_at = case when names is not null then least(${new Date(now + blockedMillis)}, until, ${putOff})
          when (${waiting} and ${PgQueues.mayByTime(sql, new Date(now))} order by sequence limit 1) is not null then 'epoch'
          else coalesce(${putOff}, 'epoch') end
      from (
        select asked.workflow_id, until, keeps_turn, as_of, case when asked.tags is null or not exists (
          select from (
            select runs.tags, runs.queue from runs where runs.workflow_id = asked.workflow_id
              and status in ('execution.queued', 'execution.requeued') order by sequence desc limit ${mostNewest}
          ) as newest where not newest.tags && asked.tags and newest.queue <> all (asked.queues)) then names end as names
        from json_to_recordset(${JSON.stringify(forgotten)}::json) as asked (workflow_id uuid, names text[],
          until timestamptz, keeps_turn boolean, as_of bigint, tags text[], queues text[])
      ) as forgotten
      where gates.workflow_id = forgotten.workflow_id and (as_of is null or gates.limited = as_of)`
  })

/**
 * Stops examining the released runs of closed gates while none of them may start: until the first postponed one may, until
 * a slot that they wait for is released, or until the gate changes.
 */
const forgetReleased = (sql: SqlClient.SqlClient, turns: ReadonlyMap<string, Turn>, now: number) =>
  Effect.gen(function* () {
    const locked = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where ${sql.in("workflow_id", [...turns.keys()])}
      order by workflow_id for no key update skip locked`
    const blocked = yield* stillBlocked(sql, locked, turns, now)
    const limited = yield* stillHeld(sql, locked, turns, now)
    for (const { workflow_id } of locked) {
      const { held = null } = turns.get(workflow_id) ?? {}
      const names = blocked.get(workflow_id) ?? (held?.by === null ? limited.get(workflow_id) : undefined) ?? null
      const until = new Date(held?.until ?? now + blockedMillis)
      const may = ReleasedRuns.condition(sql, turns.get(workflow_id)?.among ?? "all")
      const waiting = sql`runs.workflow_id = ${workflow_id} and status in ('execution.queued', 'execution.requeued')
        and released_at is not null`
      yield* sql`
        update gates set served_at = case when ${held?.isServed === false} then served_at else ${new Date(now)} end,
          blocked_on = ${names === null ? sql`blocked_on` : sql`coalesce(blocked_on, '{}') || ${names}::text[]`},
          released_ready_at = case
            when not exists (select from runs where ${waiting}) then null
            when ${names === null} and exists (
              select from runs where ${waiting} and ${may} and ${PgQueues.mayByTime(sql, new Date(now))}) then 'epoch'
            else least(${until}::timestamptz, (
              select min(not_before) from runs where ${waiting} and not_before > ${new Date(now)})) end
        where workflow_id = ${workflow_id} and (${held === null} or limited = ${held?.asOf ?? null}::bigint)`
    }
  })

/** How many of the newest waiting runs are looked at for one that no limit holds, such as one that was submitted since. */
const mostNewest = 64

/** A hold of limits as `forget` writes it. */
const heldRow = ({ asOf, by, isServed, until }: PgLimits.Hold) => ({
  ...by,
  until: new Date(until).toISOString(),
  keeps_turn: !isServed,
  as_of: String(asOf)
})

/** The workflows whose runs still wait for limits, each with the names of these. */
const stillHeld = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  locked: ReadonlyArray<{ readonly workflow_id: string }>,
  turns: ReadonlyMap<string, Turn>,
  now: number
) {
  const held = locked.flatMap(({ workflow_id }) => {
    const hold = turns.get(workflow_id)?.held ?? null
    return hold === null ? [] : [{ workflow_id, limits: hold.limits }]
  })
  const spent = yield* PgLimits.stillSpent(sql, [...new Set(held.flatMap(({ limits }) => limits))], now)
  return new Map(
    held.flatMap(({ limits, workflow_id }) =>
      limits.every((id) => spent.has(id)) ? [[workflow_id, limits.map(PgLimits.nameOf)] as const] : []
    )
  )
})

/** The workflows whose runs still all wait for entries, each with the names that one of must be given back. */
const stillBlocked = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  locked: ReadonlyArray<{ readonly workflow_id: string }>,
  turns: ReadonlyMap<string, Turn>,
  now: number
) {
  const found = new Map<string, ReadonlyArray<string>>()
  const waiting = locked.flatMap(({ workflow_id }) => {
    const blocked = turns.get(workflow_id)?.blocked ?? null
    return blocked === null || blocked.size > mostBlockedQueues ? [] : [{ workflow_id, blocked }]
  })
  if (waiting.length === 0) return found
  const busy = yield* PgSlots.busy(sql, new Set(waiting.flatMap(({ blocked }) => [...blocked.values()])))
  for (const { blocked, workflow_id } of waiting) {
    if (![...blocked.values()].every((entry) => busy.has(entry))) continue
    // Runs that were submitted since the claim may need something else.
    const among = turns.get(workflow_id)?.among ?? "all"
    const queues = yield* PgQueues.withRuns(sql, workflow_id, { among, now, limit: mostBlockedQueues + 1 })
    if (!queues.every(({ queue }) => blocked.has(queue))) continue
    found.set(workflow_id, [...new Set([...blocked.values()].flatMap((entry) => busy.get(entry) ?? []))])
  }
  return found
})
