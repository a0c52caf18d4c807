/** Which waiting runs of a workspace wait for a slot of a credential. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { Waiting } from "../../../core/run/Run.ts"
import type { Awaited } from "../../../core/run/Slots.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgSlots from "../claim/PgSlots.ts"

/** Of more queues than this, those with the first names are looked at. */
const mostQueues = 1_000

/** The queues among those of these candidates whose runs cannot be given slots now, with what its candidate waits for. */
const busyAmong = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  candidates: ReadonlyArray<PgSlots.Candidate>,
  now: number
) {
  if (candidates.length === 0) return new Map<string, Awaited>()
  const ledger = PgSlots.ledger(sql, now)
  yield* ledger.learn(candidates)
  return new Map(
    candidates.flatMap((one) => {
      const awaited = ledger.awaited(one)
      return awaited === null ? [] : [[one.queue, awaited] as const]
    })
  )
})

/** The busy queues of these runs. */
export const ofRuns = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>, now: number) =>
  ids.length === 0
    ? Effect.succeed(new Map<string, Awaited>())
    : Effect.flatMap(
        sql<PgSlots.Candidate>`
          select distinct on (queue) id, workspace_id, sequence, queue, credentials, not_before
          from runs where id = any(${`{${ids.join(",")}}`}::uuid[]) order by queue`,
        (candidates) => busyAmong(sql, candidates, now)
      )

/** What a run waits for, if it waits. */
export const ofRun = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, id: RunId, now: number) =>
  sql<PgSlots.Candidate>`
    select id, workspace_id, sequence, queue, credentials, not_before from runs
    where id = ${id} and workspace_id = ${workspaceId} and ${sql.in("status", Waiting.literals)} and queue <> ''`.pipe(
    Effect.flatMap((candidates) => busyAmong(sql, candidates, now)),
    Effect.map((busy) => busy.values().next().value ?? null)
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
