/**
 * The waiting runs of one workflow in the order in which they may be given slots.
 *
 * First the oldest ones are looked at, whatever they need. Where those leave some to be wanted, the queues behind them
 * are: runs of one queue need the same, so that one which has to wait speaks for the whole queue. However many runs wait
 * for one busy credential, they cost no more than one of them, and nobody who needs another one waits behind them.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Assigned, Candidate, Ledger } from "./PgSlots.ts"

/**
 * A recursive table `queues` of the queues of a workflow that have waiting runs, from one on, in their order. Each is
 * found by one look at the index, however many runs it has; the last row is null.
 */
export const queues = (sql: SqlClient.SqlClient, workflowId: string, from: string) => {
  const waiting = sql`workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')`
  return sql`recursive queues (queue) as (
    (select queue from runs where ${waiting} and queue >= ${from} order by queue limit 1)
    union all
    select (select runs.queue from runs where ${waiting} and runs.queue > queues.queue order by runs.queue limit 1)
    from queues where queues.queue is not null
  )`
}

/**
 * The oldest waiting runs of a queue, in their order. They are asked for in the order of queues, which one index alone
 * has: asked for by their sequence, they are looked for among all runs that wait for the workflow, 100,000 of them in 60 ms.
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
    select id, workspace_id, sequence, queue, credentials, not_before from runs
    where workflow_id = ${of.workflowId} and status in ('execution.queued', 'execution.requeued')
      and (queue, sequence) > (${of.queue}, ${of.behind}::bigint) and ${of.condition}
    order by queue, sequence limit ${of.limit}
  ) as following where queue = ${of.queue}
)`

/** How many runs are looked at in one go. */
const window = 64

/** Answers up to so many further runs that can start, oldest first. */
export type Next = (wanted: number) => Effect.Effect<ReadonlyArray<Assigned>, SqlError.SqlError>

/** The runs of a workflow that can start at `now`. `most` is how many will be asked for in all. */
export const startable = (
  sql: SqlClient.SqlClient,
  ledger: Ledger,
  workflowId: string,
  options: { readonly now: number; readonly most: number }
): Next => {
  const now = new Date(options.now)
  const size = Math.max(window, options.most)
  const blocked = new Set<string>()
  const found: Array<string> = []
  let ahead: ReadonlyArray<Candidate> = []
  let last: bigint | null = null
  let atEnd = false

  const oldest = () => sql<Candidate>`
    select id, workspace_id, sequence, queue, credentials, not_before from runs
    where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued') and not_before <= ${now}
    order by sequence limit ${size}`

  const rest = (behind: bigint) => sql<Candidate>`
    with ${queues(sql, workflowId, "")}
    select candidates.* from (
      select queue from queues where queue is not null and ${
        blocked.size === 0 ? sql`true` : sql`not ${sql.in("queue", [...blocked])}`
      }
    ) as free
    cross join lateral ${oldestIn(sql, {
      workflowId,
      queue: sql`free.queue`,
      behind,
      limit: options.most,
      condition: sql`not_before <= ${now} and ${found.length === 0 ? sql`true` : sql`not ${sql.in("id", found)}`}`
    })} as candidates
    order by sequence limit ${size}`

  const more = Effect.gen(function* () {
    const rows = yield* last === null ? oldest() : rest(last)
    last ??= rows.at(-1)?.sequence ?? 0n
    atEnd = rows.length < size
    ahead = rows
    yield* ledger.learn(rows)
  })

  return Effect.fnUntraced(function* (wanted) {
    const given: Array<Assigned> = []
    while (given.length < wanted) {
      const [candidate, ...others] = ahead
      if (candidate === undefined) {
        if (atEnd) break
        yield* more
        continue
      }
      ahead = others
      if (blocked.has(candidate.queue)) continue
      const credentials = ledger.assign(candidate)
      if (credentials === null) {
        blocked.add(candidate.queue)
        continue
      }
      found.push(candidate.id)
      given.push({ id: candidate.id, credentials })
    }
    return given
  })
}
