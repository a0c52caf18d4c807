/**
 * Counts waiting runs by what holds them, in one pass over the index of waiting runs. It has all columns by which they
 * are held, so that no run is read.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RunFilter } from "../../../core/run/list/RunFilter.ts"
import { Waiting } from "../../../core/run/Run.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { arrayOf } from "./PgRunSource.ts"

/** Maximum number of waiting runs in one pass. */
const mostWaiting = 30_000

/** Whether a pass can evaluate all conditions of a filter on waiting runs. */
export const knows = (filter: RunFilter): boolean => {
  const { from, holds, statuses, to, triggers, waitingOfAnyAge, workflowIds, ...others } = filter
  // Of a run that lost its browser, the failure says so.
  return Object.values(others).every((asked) => asked === undefined) && holds?.includes("browser") !== true
}

/**
 * How many of the waiting runs within the times, workflows and triggers of a filter satisfy each condition, which is of
 * `runs` and their `gates`. Where there are more runs than a pass counts, the numbers are lower bounds.
 */
export const count = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  { from, to, triggers, waitingOfAnyAge, workflowIds }: RunFilter,
  { conditions, now }: { readonly conditions: ReadonlyArray<Statement.Fragment>; readonly now: number }
) {
  const within = [
    sql`gates.workspace_id = ${workspaceId} and gates.waiting`,
    sql.in("runs.status", Waiting.literals),
    ...(workflowIds === undefined ? [] : [sql`gates.workflow_id = any(${arrayOf(workflowIds)}::uuid[])`]),
    ...(triggers === undefined ? [] : [sql.in("runs.trigger", triggers)]),
    ...(from === undefined || waitingOfAnyAge === true ? [] : [sql`runs.created_at >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`runs.created_at <= ${new Date(to)}`])
  ]
  const numbers = sql.csv(
    conditions.map(
      (condition, place) => sql`coalesce(sum(n) filter (where ${condition}), 0)::int as ${sql(`n${place}`)}`
    )
  )
  // Conditions hold for all runs of a group alike, and there are few groups.
  const [row] = yield* sql<Readonly<Record<string, number>>>`
    with waiting as (
      select runs.workflow_id, runs.status, runs.released_at, runs.released_pause, runs.queue, runs.not_before
      from gates join runs on runs.workflow_id = gates.workflow_id where ${sql.and(within)} limit ${mostWaiting + 1}
    ), runs as materialized (
      select workflow_id, status, min(released_at) as released_at, released_pause, queue, min(not_before) as not_before,
        count(*) as n
      from waiting
      group by workflow_id, status, released_at is null, released_pause, queue, not_before <= ${new Date(now)}
    )
    select (select coalesce(sum(n), 0)::int from runs) as seen, ${numbers} from runs join gates using (workflow_id)`
    .unprepared
  return {
    counts: conditions.map((_, place) => row?.[`n${place}`] ?? 0),
    isComplete: (row?.seen ?? 0) <= mostWaiting
  }
})
