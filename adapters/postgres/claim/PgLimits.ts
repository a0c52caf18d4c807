/**
 * Applies named limits to claims.
 *
 * The gates that a claim has locked keep the limits of their workspaces as they are: a change of a limit locks all of
 * these first. What has started is read without locks at first. Then the claim locks the limits that its runs draw on, in
 * the order of their ids and behind the gates, reads again, and starts only what they still allow.
 *
 * The runs in progress that draw on a limit are counted by what they have now, so that a new or changed limit counts
 * those that started before it.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as NamedLimit from "../../../core/run/limit/NamedLimit.ts"
import type { Run } from "../../../core/run/Run.ts"
import * as PgCollection from "../PgCollection.ts"

/** What runs may draw on limits by, for a workspace. */
export interface Drawn {
  readonly workspaceId: string
  readonly workflowIds?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly credentialIds?: ReadonlyArray<string>
}

/** What a run draws on limits by, but for its credentials. */
export const drawnOf = ({ tags, workflowId, workspaceId }: Run): Drawn => ({
  workspaceId,
  workflowIds: [workflowId],
  tags
})

interface UsedRow extends PgCollection.Row {
  readonly workspace_id: string
  readonly taken_until: Date
  readonly running: number
}

const read = PgCollection.reader(NamedLimit.kind)

/** Whether a run counts for a limit, where both are joined. */
const counts = (sql: SqlClient.SqlClient) => sql`
  runs.status = 'execution.start' and runs.workspace_id = limits.workspace_id and (
    runs.workflow_id::text = any (limits.workflow_ids) or runs.tags && limits.tags
    or (limits.credential_ids <> '{}' and runs.holds && array(
      select vault_entries.workspace_id || ':' || vault_entries.key_hash from vault_entries
      where vault_entries.id = any (limits.credential_ids::uuid[]))))`

/** Limits that satisfy a condition on `limits`, with what has started of them, in the order of their insertion. */
export const used = (sql: SqlClient.SqlClient, condition: Statement.Fragment) =>
  Effect.map(
    sql<UsedRow>`
      select id, body, workspace_id, taken_until, (
        select count(*) from runs where ${counts(sql)})::integer as running
      from limits where ${condition} order by position`,
    (rows) =>
      rows.map(
        (row): NamedLimit.UsedLimit => ({
          workspaceId: row.workspace_id,
          limit: read(row),
          takenUntil: row.taken_until.getTime(),
          running: row.running
        })
      )
  )

/** The condition of limits that one of these may draw on. */
const drawnBy = (sql: SqlClient.SqlClient, all: ReadonlyArray<Drawn>) => sql`exists (
  select from json_to_recordset(${JSON.stringify(
    all.map(({ credentialIds = [], tags = [], workflowIds = [], workspaceId }) => ({
      workspace: workspaceId,
      workflows: workflowIds,
      credentials: credentialIds,
      some_tags: tags
    }))
  )}::json) as drawn (workspace uuid, workflows text[], credentials text[], some_tags text[])
  where limits.workspace_id = workspace and (
    limits.workflow_ids && workflows or limits.credential_ids && credentials or limits.tags && some_tags))`

/** The limits that these may draw on. */
export const of = (sql: SqlClient.SqlClient, all: ReadonlyArray<Drawn>) =>
  all.length === 0 ? Effect.succeed([]) : used(sql, drawnBy(sql, all))

/** The limits that these waiting runs draw on by their workflows and tags. */
export const ofRuns = (
  sql: SqlClient.SqlClient,
  runs: ReadonlyArray<{
    readonly workspace_id: string
    readonly workflow_id: string
    readonly tags: ReadonlyArray<string>
  }>
) =>
  of(
    sql,
    runs.map(({ tags, workflow_id, workspace_id }) => ({ workspaceId: workspace_id, workflowIds: [workflow_id], tags }))
  )

/** Whether a limit allows no start. */
export const isSpent = ({ limit, ...progress }: NamedLimit.UsedLimit, now: number): boolean =>
  NamedLimit.allowance(limit, progress, now) <= 0

/**
 * Those of these limits that allow no start. The runs that draw on them cannot end until the transaction ends; one that is
 * being changed counts as ended.
 */
export const stillSpent = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  ids: ReadonlyArray<string>,
  now: number
) {
  if (ids.length === 0) return new Set<string>()
  const holders = yield* sql<{ readonly limit_id: string }>`
    select limits.id as limit_id from limits join runs on ${counts(sql)}
    where ${sql.in("limits.id", ids)} order by runs.id for share of runs skip locked`
  const found = yield* used(sql, sql.in("id", ids))
  return new Set(
    found
      .map((one) => ({ ...one, running: holders.filter((holder) => holder.limit_id === one.limit.id).length }))
      .flatMap((one) => (isSpent(one, now) ? [one.limit.id] : []))
  )
})

/** Locks limits until the transaction ends, and reads then what has started of them. */
export const lock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) {
  yield* sql`select from limits where ${sql.in("id", ids)} order by id for no key update`
  return yield* used(sql, sql.in("id", ids))
})

/** Charges starts to the minutes of limits, which the caller has locked. */
export const take = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<{ readonly id: string; readonly takenUntil: number }>
) =>
  taken.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        update limits set taken_until = taken.until
        from json_to_recordset(${JSON.stringify(
          taken.map(({ id, takenUntil }) => ({ id, until: new Date(takenUntil).toISOString() }))
        )}::json) as taken (id uuid, until timestamptz)
        where limits.id = taken.id`)

/** The name under which gates wait for a limit, beside those of slots. */
export const nameOf = (id: string): string => `limit:${id}`

/** The names of the limits that ended runs have drawn on, of workflows whose runs may be counted by one. */
export const namesOf = (sql: SqlClient.SqlClient, ended: ReadonlyArray<Drawn>) =>
  ended.length === 0
    ? Effect.succeed<ReadonlyArray<string>>([])
    : Effect.map(
        sql<{ readonly id: string }>`
          select id from limits where ${drawnBy(sql, ended)} or (credential_ids <> '{}' and ${sql.in("workspace_id", [
            ...new Set(ended.map(({ workspaceId }) => workspaceId))
          ])})`,
        (rows) => rows.map(({ id }) => nameOf(id))
      )

/** The limits that keep the runs of a gate from their start. */
export interface Hold {
  /** The ids of the limits. */
  readonly limits: ReadonlyArray<string>
  /** When claims look again at the latest. */
  readonly until: number
  /** The `limited` of the gate: after a change of a limit the hold counts no more. */
  readonly asOf: bigint | null
  /** Whether some of its runs did start. Otherwise it keeps its turn: of workflows that share a limit none is overtaken. */
  readonly isServed: boolean
  /** What its runs draw on the limits by, besides their workflow; `null` where that alone holds all of them. */
  readonly by: { readonly tags: ReadonlyArray<string>; readonly queues: ReadonlyArray<string> } | null
}

/**
 * How long claims skip a workflow whose runs wait for a limit, in milliseconds, where no instant is known: it ends earlier
 * by the end of a run that draws on the limit, by a submission, and by a change of the limit. A pause ends by nothing else.
 */
const fullMillis = 5_000
const pausedMillis = 600_000

/** The hold of a gate whose runs wait for these limits. */
export const hold = (
  limits: ReadonlyArray<NamedLimit.UsedLimit>,
  {
    isServed,
    now,
    of,
    queues
  }: {
    readonly of: { readonly workflow_id: string; readonly limited: bigint | null }
    readonly now: number
    readonly isServed: boolean
    /** The queues whose runs have to wait. */
    readonly queues: ReadonlyArray<string>
  }
): Hold => ({
  limits: limits.map(({ limit }) => limit.id),
  until: Math.min(
    ...limits.map(({ limit, running, takenUntil }) => {
      // Runs that draw on it by something else may change that while they wait.
      if (limit.pause !== null && limit.workflowIds.includes(of.workflow_id)) return now + pausedMillis
      return Math.min(NamedLimit.nextChangeAt(limit, { running, takenUntil }, now) ?? Infinity, now + fullMillis)
    })
  ),
  asOf: of.limited,
  isServed,
  by: limits.some(({ limit }) => limit.workflowIds.includes(of.workflow_id))
    ? null
    : { tags: limits.flatMap(({ limit }) => limit.tags), queues }
})
