/**
 * Applies the pace of workflows to claims.
 *
 * The row of a pace is locked after its gate, and only by claims: claims of one paced workflow are serialized, while
 * submissions share its gate. A claim that uses up the pace writes to the gate until when, so that other claims skip it.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Gate } from "../../../core/gate/Gate.ts"
import * as Pace from "../../../core/gate/Pace.ts"
import * as Table from "../tables/Table.ts"

/** The pace of a workflow, with its progress. */
export interface Paced extends Pace.Progress {
  readonly pace: Pace.Pace
}

const column = Table.of<{ readonly workflowId: string; readonly takenUntil: number }>()

/** The instant until which the starts so far use up the pace of a workflow, as `Pace.afterStarts` computes it. */
export const table = Table.make(
  "gate_paces",
  {
    workflow_id: column(Table.uuid<string>(), ({ workflowId }) => workflowId),
    taken_until: column(Table.instant, ({ takenUntil }) => takenUntil)
  },
  ["workflow_id"]
)

/** A gate whose row is locked. */
interface Locked {
  readonly workflowId: string
  readonly pace: Gate["pace"]
}

/**
 * How long claims skip a workflow that has reached its limit of concurrent runs, in milliseconds. The end of one of its
 * runs ends this earlier, by `lookAgain`.
 */
const fullMillis = 5_000

/** Locks the paces of these gates until the transaction ends, and reads their progress. */
export const lock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, gates: ReadonlyArray<Locked>) {
  const paced = gates.flatMap(({ pace, workflowId }) => (pace === null ? [] : [{ workflowId, pace }]))
  const found = new Map<string, Paced>()
  if (paced.length === 0) return found
  const untaken = paced.map(({ workflowId }) => table.encode({ workflowId, takenUntil: 0 }))
  const columns = Table.names(sql, table)
  const rows = yield* sql<Table.Row<typeof table.columns>>`
    insert into gate_paces (${columns})
    select ${columns} from ${Table.recordset(sql, table, "paced", untaken)} order by workflow_id
    on conflict (workflow_id) do update set taken_until = gate_paces.taken_until returning ${columns}`
  const running = yield* runningOf(
    sql,
    paced.filter(({ pace }) => Pace.limitsRunning(pace)).map(({ workflowId }) => workflowId)
  )
  const taken = new Map(rows.map(table.decode).map((row) => [row.workflow_id, row.taken_until]))
  for (const { pace, workflowId } of paced) {
    found.set(workflowId, {
      pace,
      takenUntil: taken.get(workflowId) ?? 0,
      running: running.get(workflowId) ?? 0
    })
  }
  return found
})

/** How many runs of these workflows are in progress. Read under the lock, so that no other claim changes it. */
const runningOf = (sql: SqlClient.SqlClient, workflowIds: ReadonlyArray<string>) =>
  workflowIds.length === 0
    ? Effect.succeed(new Map<string, number>())
    : Effect.map(
        sql<{ readonly workflow_id: string; readonly running: number }>`
          select workflow_id, count(*)::integer as running from runs
          where status = 'execution.start' and ${sql.in("workflow_id", workflowIds)} group by workflow_id`,
        (rows) => new Map(rows.map((row) => [row.workflow_id, row.running]))
      )

/** The instant until which the pace of a workflow allows no start, and the revision of the gate that it holds for. */
export interface SpentPace {
  readonly workflowId: string
  readonly revision: number
  readonly until: number
}

/** The instant until which a workflow may start no further run after `starts` starts at `now`; `null` if it still may. */
export const spentUntil = ({ pace, running, takenUntil }: Paced, starts: number, now: number): number | null => {
  const progress = { takenUntil: Pace.afterStarts(pace, takenUntil, starts, now), running: running + starts }
  if (Pace.allowance(pace, progress, now) > 0) return null
  const next = Pace.nextStartAt(pace, progress.takenUntil, now)
  return next > now ? next : now + fullMillis
}

/** Charges these starts to their paces, which the caller has locked. */
export const take = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  paces: ReadonlyMap<string, Paced>,
  starts: ReadonlyMap<string, number>,
  now: number
) {
  const taken = [...paces].flatMap(([workflowId, { pace, takenUntil }]) => {
    const after = Pace.afterStarts(pace, takenUntil, starts.get(workflowId) ?? 0, now)
    return after === takenUntil ? [] : [table.encode({ workflowId, takenUntil: after })]
  })
  if (taken.length === 0) return
  yield* sql`
    update gate_paces set taken_until = taken.taken_until
    from ${Table.recordset(sql, table, "taken", taken)}
    where gate_paces.workflow_id = taken.workflow_id`
})

/** Makes claims skip these workflows until an instant, unless their gates were edited since. */
export const note = (sql: SqlClient.SqlClient, spent: ReadonlyArray<SpentPace>) => {
  const noted = spent.map(({ revision, until, workflowId }) => ({
    workflow_id: workflowId,
    revision,
    until: new Date(until).toISOString()
  }))
  return sql`
    with noted as materialized (
      select gates.workflow_id, noted.until
      from json_to_recordset(${JSON.stringify(noted)}::json) as noted (
        workflow_id uuid, revision integer, until timestamptz)
      join gates on gates.workflow_id = noted.workflow_id and gates.revision = noted.revision
      order by gates.workflow_id for no key update of gates
    )
    update gates set paced_until = greatest(paced_until, noted.until)
    from noted where gates.workflow_id = noted.workflow_id`
}

/** Makes claims consider workflows again that they skipped because of their running runs, now that one has ended. */
export const lookAgain = (
  sql: SqlClient.SqlClient,
  ended: ReadonlyArray<{ readonly workflowId: string; readonly pace: Gate["pace"] }>
): Effect.Effect<void, SqlError.SqlError> => {
  const ids = new Set(ended.filter(({ pace }) => Pace.limitsRunning(pace)).map(({ workflowId }) => workflowId))
  return ids.size === 0
    ? Effect.void
    : Effect.asVoid(sql`
        update gates set paced_until = null where workflow_id in (
          select workflow_id from gates where ${sql.in("workflow_id", [...ids])} and paced_until is not null
          order by workflow_id for no key update skip locked)`)
}
