/**
 * Changes many runs by decisions, in pieces: each piece is read, locked and written in a few statements.
 *
 * Runs are locked in the order of their ids, as in every statement that locks several.
 */
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { fileOf, type RunFile } from "../../../core/event/RunEvent.ts"
import type { Gate } from "../../../core/gate/Gate.ts"
import type { Run } from "../../../core/run/Run.ts"
import type { RunStore } from "../../../core/run/RunStore.ts"
import type { Change, LockedRun } from "../../../core/run/Transition.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Writing from "../Writing.ts"

/** A run before and after. */
export interface Changed {
  readonly before: Run
  readonly gate: Gate
  /** Whether limits may count it. */
  readonly isLimited: boolean
  readonly change: Change
}

/** How many runs one transaction reads and writes. */
const piece = 100

/** Changes runs as the port says. `after` does what else a change needs, in its transaction. */
export const make =
  (
    sql: SqlClient.SqlClient,
    after: (changed: ReadonlyArray<Changed>) => Effect.Effect<unknown, SqlError.SqlError>
  ): RunStore["Service"]["changeAll"] =>
  (workspaceId, ids, decide, { dryRun }) =>
    Effect.gen(function* () {
      const decideAll = Effect.fnUntraced(function* (some: ReadonlyArray<string>) {
        const all = yield* read(sql, workspaceId, some, dryRun)
        const at = yield* Clock.currentTimeMillis
        const decided = all.map((locked) => ({ ...locked, before: locked.run, decision: decide(locked, at) }))
        const changed = decided.flatMap(({ before, decision: { change }, gate, isLimited }) =>
          change === null ? [] : [{ before, gate, isLimited, change }]
        )
        if (changed.length > 0 && !dryRun) {
          yield* Writing.changes(
            sql,
            changed.map(({ before, change }) => ({ ...change, before })),
            at
          )
          yield* after(changed)
        }
        return decided.map(({ before, decision }) => [before.id, decision] as const)
      })
      const found = new Map<string, ReturnType<typeof decide>>()
      const sorted = [...new Set<string>(ids)].sort()
      for (let from = 0; from < sorted.length; from += piece) {
        const some = decideAll(sorted.slice(from, from + piece))
        const decided = yield* dryRun ? withoutSqlErrors(some) : transaction(sql, some)
        for (const [id, decision] of decided) found.set(id, decision)
      }
      return ids.map((id) => found.get(id) ?? null)
    })

/** The runs of these ids that exist, with their gates and files. They are locked, unless nothing is to be written. */
const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  ids: ReadonlyArray<string>,
  dryRun: boolean
) {
  const rows = yield* sql<Runs.Row>`
    select * from runs where ${sql.in("id", ids)} and workspace_id = ${workspaceId}
    order by id ${dryRun ? sql`` : sql`for update`}`
  const runs = rows.map(Runs.toRun)
  if (runs.length === 0) return []
  const gateRows = yield* sql<Gates.Row & Gates.LimitedRow>`
    select * from gates where ${sql.in("workflow_id", [...new Set(runs.map(({ workflowId }) => workflowId))])}`
  const gates = new Map(
    gateRows.map((row) => [row.workflow_id, { gate: Gates.toGate(row), isLimited: row.limited !== null }])
  )
  const files = dryRun ? new Map<string, ReadonlyArray<RunFile>>() : yield* filesOf(sql, runs)
  return runs.map((run): LockedRun & Pick<Changed, "isLimited"> => {
    const of = gates.get(run.workflowId)
    if (of === undefined) throw new Error(`Run ${run.id} has no gate`)
    return { run, ...of, files: files.get(run.id) ?? [] }
  })
})

/** The files of those of these runs that have started, each list oldest first. */
const filesOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, runs: ReadonlyArray<Run>) {
  const started = runs.filter(({ attempts, endedAt }) => attempts > 0 && endedAt === null)
  const files = new Map<string, Array<RunFile>>()
  if (started.length === 0) return files
  const rows = yield* sql<Events.Row>`
    select sequence, run_id, at, event, payload, expires_at from run_events
    where ${sql.in(
      "run_id",
      started.map(({ id }) => id)
    )} and event = 'file.uploaded' order by sequence`
  for (const row of rows) {
    const { event, runId } = Events.toLogged(row)
    files.set(runId, [...(files.get(runId) ?? []), ...fileOf(event)])
  }
  return files
})
