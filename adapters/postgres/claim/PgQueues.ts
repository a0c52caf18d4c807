/**
 * The waiting runs of one workflow in the order in which they may be given slots: by their places, which put the higher
 * priority before the earlier submission.
 *
 * First the first runs are tried, regardless of their needs. If those are not enough, the queues behind them are
 * tried: the runs of one queue need the same credentials, so if one of them has to wait, the whole queue does. Any
 * number of runs that wait for one busy credential cost no more than one of them, and do not block runs that need
 * another one.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { UsedLimit } from "../../../core/run/limit/NamedLimit.ts"
import * as Runs from "../tables/Runs.ts"
import type { Assigned, Candidate, Ledger } from "./PgSlots.ts"
import * as ReleasedRuns from "./ReleasedRuns.ts"

/**
 * A recursive table `queues` of the queues of a workflow that have waiting runs, from one on, in their order. Each is
 * found by one look at the index, however many runs it has; the last row is null.
 */
export const queues = (
  sql: SqlClient.SqlClient,
  workflowId: string,
  from: string,
  among: ReleasedRuns.Among = "all"
) => {
  const waiting = sql`workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
    and ${ReleasedRuns.condition(sql, among)}`
  return sql`recursive queues (queue) as (
    (select queue from runs where ${waiting} and queue >= ${from} order by queue limit 1)
    union all
    select (select runs.queue from runs where ${waiting} and runs.queue > queues.queue order by runs.queue limit 1)
    from queues where queues.queue is not null
  )`
}

/** The columns of a candidate. */
const candidate = (sql: SqlClient.SqlClient) =>
  sql.literal("id, workspace_id, workflow_id, place, queue, credentials, tags, not_before")

/**
 * The oldest waiting runs of a queue, in their order. They are asked for in the order of queues, which one index alone
 * has: asked for by their place, they are looked for among all runs that wait for the workflow, 100,000 of them in 60 ms.
 */
export const oldestIn = (
  sql: SqlClient.SqlClient,
  of: {
    readonly workflowId: string
    readonly queue: Statement.Fragment
    readonly behind: bigint
    readonly limit: number
    readonly condition: Statement.Fragment
  }
) => sql`(
  select * from (
    select ${candidate(sql)} from runs
    where workflow_id = ${of.workflowId} and status in ('execution.queued', 'execution.requeued')
      and (queue, place) > (${of.queue}, ${of.behind}::bigint) and ${of.condition}
    order by queue, place limit ${of.limit}
  ) as following where queue = ${of.queue}
)`

/** Whether a waiting run is not postponed. A new run never is, also where it was accepted by a clock that is ahead. */
export const mayByTime = (sql: SqlClient.SqlClient, now: Date) =>
  sql`(status = 'execution.queued' or not_before <= ${now})`

/** The number of oldest runs that are read, and of queues at a time and in total. */
const window = 64
const queuesTogether = 256
const mostQueues = 1_024

/** How many runs are read in the order of their places for one that draws on no spent limit. */
const mostRead = 10_000

/**
 * The end of the last look at the queues of a workflow, all or of released runs, if it did not reach all of them; and of
 * the last look for runs that draw on no spent limit.
 */
export type Places = Map<string, string>

/** Returns up to this many further runs that can start, oldest first. */
export type Next = (wanted: number) => Effect.Effect<ReadonlyArray<Assigned>, SqlError.SqlError>

/** The runs of a workflow that can get slots, and the entries that the others wait for. */
export interface Startable {
  readonly next: Next
  /**
   * The queues whose runs all wait for a slot of an entry, with the names of the entries, once no run of the workflow
   * can start; `null` where they wait for something else too.
   */
  readonly blocked: () => ReadonlyMap<string, string> | null
  /** The spent limits that runs wait for, which were found so far. */
  readonly limits: () => ReadonlyArray<UsedLimit>
  /** The queues that were found to have to wait. */
  readonly heldQueues: () => ReadonlyArray<string>
}

/**
 * The queues of a workflow that have a run which may start by time, or a new one, at most so many. A new run may start from
 * its submission on, by the clock of the process that accepted it, which may be ahead of `now`.
 */
export const withRuns = (
  sql: SqlClient.SqlClient,
  workflowId: string,
  { among, limit, now }: { readonly among: ReleasedRuns.Among; readonly limit: number; readonly now: number }
) =>
  sql<{ readonly queue: string }>`
    with ${queues(sql, workflowId, "", among)}
    select some_queues.queue from (select queue from queues where queue is not null limit ${limit}) as some_queues
    where exists ${oldestIn(sql, {
      workflowId,
      queue: sql`some_queues.queue`,
      behind: 0n,
      limit: 1,
      condition: sql`${mayByTime(sql, new Date(now))} and ${ReleasedRuns.condition(sql, among)}`
    })}`

/**
 * The runs of a workflow that can start at `now`. `most` is how many will be asked for in all.
 *
 * Of very many queues it reads some, and the next call continues after them, by `places`: the cost of one claim is
 * bounded, and every queue has its turn.
 */
export const startable = (
  sql: SqlClient.SqlClient,
  ledger: Ledger,
  workflowId: string,
  options: {
    readonly now: number
    readonly most: number
    readonly places: Places
    readonly among: ReleasedRuns.Among
    /** Whether limits may count its runs. */
    readonly isLimited: boolean
  }
): Startable => {
  const now = new Date(options.now)
  const may = sql`not_before <= ${now} and ${Runs.isInTime(sql, options.now)} and ${ReleasedRuns.condition(sql, options.among)}`
  const placeName = options.among === "all" ? workflowId : `${workflowId} released`
  const size = Math.max(window, options.most)
  /** The queues that have to wait, with the one entry that they wait for, where it is one. */
  const blocked = new Map<string, string | null>()
  const start = options.places.get(placeName) ?? ""
  let place = start
  let seen = 0
  let hasWrapped = start === ""
  let ahead: ReadonlyArray<Candidate> = []
  let last: bigint | null = null
  let atEnd = false
  const limits = new Map<string, UsedLimit>()
  const given = new Set<string>()
  let isRead = !options.isLimited

  const oldest = Effect.map(
    sql<Candidate>`
      select ${candidate(sql)} from runs
      where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
        and ${may}
      order by place limit ${size}`,
    (rows) => {
      last = rows.at(-1)?.place ?? 0n
      atEnd = rows.length < size
      return rows
    }
  )

  /** The runs behind the oldest ones in the next queues. */
  const rest = (behind: bigint) =>
    Effect.map(
      sql<Candidate | { readonly id: null; readonly in_queue: string }>`
        with ${queues(sql, workflowId, place, options.among)}
        select some_queues.queue as in_queue, candidates.* from (
          select queue from queues where queue is not null limit ${queuesTogether}
        ) as some_queues
        left join lateral ${oldestIn(sql, {
          workflowId,
          queue: sql`some_queues.queue`,
          behind,
          limit: options.most,
          condition: may
        })} as candidates on true
        order by candidates.place`,
      (rows) => {
        // The statement selects this column, which its type does not say.
        const names = rows.map((row) => (row as { readonly in_queue: string }).in_queue)
        const looked = new Set(names)
        seen += looked.size
        // No queue has a name that ends with a space.
        place = looked.size < queuesTogether ? "" : `${names.reduce((a, b) => (a > b ? a : b))} `
        atEnd = (place === "" && hasWrapped) || seen >= mostQueues || (hasWrapped && start !== "" && place >= start)
        hasWrapped ||= place === ""
        if (seen >= mostQueues && place !== "") options.places.set(placeName, place)
        else options.places.delete(placeName)
        return rows.filter((row): row is Candidate => row.id !== null)
      }
    )

  /**
   * The first runs with none of these tags, in no queue that has to wait. Behind very many others they are looked for in
   * parts, and the next call continues with the next part.
   */
  const without = (tags: ReadonlyArray<string>) => {
    const name = `${placeName} limited`
    const from = options.places.get(name) ?? "0"
    return Effect.map(
      sql<(Candidate | { readonly id: null }) & { readonly read: number; readonly read_to: bigint | null }>`
        with part as materialized (
          select ${candidate(sql)} from runs
          where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
            and place > ${from}::bigint and ${may}
          order by place limit ${mostRead}
        )
        select following.*, read, read_to from (select count(*)::integer as read, max(place) as read_to from part) as ends
        left join lateral (
          select * from part where not tags && array(select json_array_elements_text(${JSON.stringify(tags)}::json))
            and queue <> all (array(select json_array_elements_text(${JSON.stringify([...blocked.keys()])}::json)))
          order by place limit ${options.most}
        ) as following on true order by following.place`,
      (rows) => {
        const found = rows.filter((row) => row.id !== null)
        const [end] = rows
        const to = found.length === options.most ? found.at(-1)?.place : end?.read === mostRead ? end.read_to : null
        if (to == null) options.places.delete(name)
        else options.places.set(name, String(to))
        return found
      }
    )
  }

  const more = Effect.gen(function* () {
    ahead = yield* last === null ? oldest : rest(last)
    yield* ledger.learn(
      ahead.filter(({ queue }) => !blocked.has(queue)),
      options.isLimited
    )
  })

  /** Reads further runs; answers whether there may be some. */
  const readOn = Effect.gen(function* () {
    if (!atEnd) yield* more
    else if (isRead || limits.size === 0) return false
    else {
      isRead = true
      const [workspaceId] = new Set([...limits.values()].map((one) => one.workspaceId))
      ahead = workspaceId === undefined ? [] : yield* without(ledger.spentTags(workspaceId))
      yield* ledger.learn(ahead, true)
    }
    return true
  })

  const next: Next = Effect.fnUntraced(function* (wanted) {
    const some: Array<Assigned> = []
    while (some.length < wanted) {
      const [candidate, ...others] = ahead
      if (candidate === undefined) {
        if (yield* readOn) continue
        break
      }
      ahead = others
      if (blocked.has(candidate.queue) || given.has(candidate.id)) continue
      const limit = ledger.limitOf(candidate)
      if (limit !== null) limits.set(limit.limit.id, limit)
      // No run of its workflow starts.
      if (limit?.limit.workflowIds.includes(workflowId) === true) {
        ahead = []
        atEnd = true
        isRead = true
        break
      }
      if (limit !== null) continue
      const credentials = ledger.assign(candidate)
      if (credentials !== null) {
        given.add(candidate.id)
        some.push({ id: candidate.id, credentials, drawing: ledger.drawingOf(candidate, credentials) })
        continue
      }
      const ofEntry = ledger.limitOfEntries(candidate)
      if (ofEntry !== null) limits.set(ofEntry.limit.id, ofEntry)
      blocked.set(candidate.queue, ledger.waitsFor(candidate))
    }
    return some
  })

  return {
    next,
    blocked: () => {
      if (!atEnd || ahead.length > 0 || seen >= mostQueues || limits.size > 0) return null
      const known = [...blocked].flatMap(([queue, entry]) => (entry === null ? [] : [[queue, entry] as const]))
      return known.length === 0 || known.length < blocked.size ? null : new Map(known)
    },
    limits: () => [...limits.values()],
    heldQueues: () => [...blocked.keys()]
  }
}
