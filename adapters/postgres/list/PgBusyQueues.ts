/** Which waiting runs of a workspace wait for a named limit, or for a slot of a credential. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { spentLimit } from "../../../core/run/limit/LimitLedger.ts"
import type { SpentLimit, UsedLimit } from "../../../core/run/limit/NamedLimit.ts"
import { Waiting } from "../../../core/run/Run.ts"
import type { Awaited } from "../../../core/run/Slots.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgLimits from "../claim/PgLimits.ts"
import * as PgSlots from "../claim/PgSlots.ts"

/** Of more queues than this, those with the first names are looked at. */
const mostQueues = 1_000

/** The part of a waiting run that decides what it waits for. */
type WaitingRow = Pick<PgSlots.Candidate, "queue" | "tags" | "workflow_id" | "workspace_id">

/** What waiting runs wait for. */
export interface Busy {
  /** The queues whose runs cannot be given slots now, or only such as a limit allows no start with. */
  readonly queues: ReadonlyMap<string, Awaited | SpentLimit>
  /** What a run would have to wait for if it were claimed now. */
  readonly awaitedBy: (run: WaitingRow) => Awaited | SpentLimit | null
}

const columns = (sql: SqlClient.SqlClient) =>
  sql.literal("runs.id, runs.workspace_id, runs.workflow_id, place, queue, credentials, tags, not_before")

/** What runs of the queues of these candidates wait for, by limits that they may draw on. */
const busyAmong = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  candidates: ReadonlyArray<PgSlots.Candidate>,
  now: number,
  { isLimited, limits }: { readonly limits: ReadonlyArray<UsedLimit>; readonly isLimited: boolean }
) {
  const ledger = PgSlots.ledger(sql, now)
  ledger.know(limits)
  if (candidates.length > 0) yield* ledger.learn(candidates, isLimited)
  const queues = new Map(
    candidates.flatMap((one) => {
      const awaited = one.queue === "" ? null : ledger.awaited(one)
      return awaited === null ? [] : [[one.queue, awaited] as const]
    })
  )
  const awaitedBy = (run: WaitingRow) => {
    const limit = ledger.limitOf(run)
    return limit === null ? (queues.get(run.queue) ?? null) : spentLimit(limit, now)
  }
  return { queues, awaitedBy } satisfies Busy
})

/** What these waiting runs wait for; `limited` are those of them that limits may count. */
export const ofRuns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  runs: ReadonlyArray<WaitingRow & { readonly id: string }>,
  limited: ReadonlyArray<WaitingRow>,
  now: number
) {
  const limits = yield* PgLimits.ofRuns(sql, limited)
  const naming = runs.filter(({ queue }) => queue !== "").map(({ id }) => id)
  const candidates =
    naming.length === 0
      ? []
      : yield* sql<PgSlots.Candidate>`
          select distinct on (queue) ${columns(sql)}
          from runs where id = any(${`{${naming.join(",")}}`}::uuid[]) order by queue`
  return yield* busyAmong(sql, candidates, now, { limits, isLimited: limited.length > 0 })
})

/** What a run waits for, if it waits. */
export const ofRun = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  id: RunId,
  now: number
) {
  const [run] = yield* sql<PgSlots.Candidate & { readonly limited: bigint | null }>`
    select ${columns(sql)}, limited from runs join gates on gates.workflow_id = runs.workflow_id
    where id = ${id} and runs.workspace_id = ${workspaceId} and ${sql.in("status", Waiting.literals)}
      and (queue <> '' or limited is not null)`
  if (run === undefined) return null
  const isLimited = run.limited !== null
  const limits = yield* PgLimits.ofRuns(sql, isLimited ? [run] : [])
  return (yield* busyAmong(sql, run.queue === "" ? [] : [run], now, { limits, isLimited })).awaitedBy(run)
})

/**
 * What waiting runs of a workspace wait for, with its limits. Each step of the recursion reads one entry of an index,
 * however many runs are in it.
 */
export const ofWorkspace = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  now: number
) {
  const after = (queue: Statement.Fragment) => sql`
    (select queue from runs where workspace_id = ${workspaceId} and queue > ${queue}
      and ${sql.in("status", Waiting.literals)} and queue <> '' order by queue limit 1)`
  const candidates = yield* sql<PgSlots.Candidate>`
    with recursive queues as (
      (select ${after(sql`''`)} as queue)
      union all
      select ${after(sql`queues.queue`)} from queues where queues.queue is not null
    ), some_queues as (select queue from queues where queue is not null limit ${mostQueues})
    select candidate.* from some_queues, lateral (
      select ${columns(sql)} from runs
      where workspace_id = ${workspaceId} and queue = some_queues.queue and queue <> ''
        and ${sql.in("status", Waiting.literals)} limit 1) candidate`
  const limits = yield* PgLimits.used(sql, sql`workspace_id = ${workspaceId}`)
  const spent = limits.filter((one) => PgLimits.isSpent(one, now))
  const busy = yield* busyAmong(sql, candidates, now, { limits, isLimited: limits.length > 0 })
  return { ...busy, spent: spent.map(({ limit }) => limit) }
})
