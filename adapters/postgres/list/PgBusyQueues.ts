/** Which waiting runs of a workspace wait for a slot of a credential. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { Waiting } from "../../../core/run/Run.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgSlots from "../claim/PgSlots.ts"

/** Of more queues than this, those with the first names are looked at. */
const mostQueues = 1_000

/** The queues among those of these candidates whose runs cannot be given slots now. */
const busyAmong = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  candidates: ReadonlyArray<PgSlots.Candidate>,
  now: number
) {
  if (candidates.length === 0) return new Set<string>()
  const ledger = PgSlots.ledger(sql, now)
  yield* ledger.learn(candidates)
  return new Set(candidates.filter((one) => !ledger.hasFree(one)).map(({ queue }) => queue))
})

/** The busy queues of these runs. */
export const ofRuns = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>, now: number) =>
  ids.length === 0
    ? Effect.succeed(new Set<string>())
    : Effect.flatMap(
        sql<PgSlots.Candidate>`
          select distinct on (queue) id, workspace_id, sequence, queue, credentials, not_before
          from runs where id = any(${`{${ids.join(",")}}`}::uuid[]) order by queue`,
        (candidates) => busyAmong(sql, candidates, now)
      )

/** The busy queues of a workspace. Each step of the recursion reads one entry of an index, however many runs are in it. */
export const ofWorkspace = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, now: number) => {
  const after = (queue: Statement.Fragment) => sql`
    (select queue from runs where workspace_id = ${workspaceId} and queue > ${queue}
      and ${sql.in("status", Waiting.literals)} and queue <> '' order by queue limit 1)`
  return Effect.flatMap(
    sql<PgSlots.Candidate>`
      with recursive queues as (
        (select ${after(sql`''`)} as queue)
        union all
        select ${after(sql`queues.queue`)} from queues where queues.queue is not null
      ), some_queues as (select queue from queues where queue is not null limit ${mostQueues})
      select candidate.* from some_queues, lateral (
        select id, workspace_id, sequence, queue, credentials, not_before from runs
        where workspace_id = ${workspaceId} and queue = some_queues.queue and queue <> ''
          and ${sql.in("status", Waiting.literals)} limit 1) candidate`,
    (candidates) => busyAmong(sql, candidates, now)
  )
}
