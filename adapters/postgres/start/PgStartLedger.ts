/** The ledger of starts in PostgreSQL. Starts are appended with the claim, in `Writing`. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type LoggedStart, StartLedger } from "../../../core/run/start/StartLedger.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"
import * as Starts from "./Starts.ts"

export const layer = Layer.effect(
  StartLedger,
  Effect.map(SqlClient.SqlClient, (sql) =>
    StartLedger.of({
      ofRun: Effect.fn("StartLedger.ofRun")((workspaceId, runId) =>
        sql<Starts.Row>`
          select * from run_starts where run_id = ${runId} and workspace_id = ${workspaceId} order by attempt`.pipe(
          Effect.map((rows) => rows.map(Starts.toStart)),
          withoutSqlErrors
        )
      ),
      page: Effect.fn("StartLedger.page")((workspaceId, { after, from, limit, to }) =>
        sql<Starts.Row>`
          select * from run_starts
          where workspace_id = ${workspaceId} and at >= ${new Date(from)} and at < ${new Date(to)}
            and ${after === null ? sql`true` : sql`(at, run_id, attempt) > (${new Date(after.at)}, ${after.runId}::uuid, ${after.attempt}::integer)`}
          order by at, run_id, attempt limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(Starts.toStart)),
          withoutSqlErrors
        )
      ),
      windows: Effect.fn("StartLedger.windows")((workflowIds) =>
        sql<Starts.WindowRow>`
          select ${Table.names(sql, Starts.windows)} from run_windows
          where ${sql.in("workflow_id", workflowIds)} order by workflow_id, revision`.pipe(
          Effect.map((rows) => rows.map(Starts.toWindow)),
          withoutSqlErrors
        )
      ),
      logged: Effect.fn("StartLedger.logged")((runIds) =>
        sql<{ readonly run_id: string; readonly at: Date; readonly event: LoggedStart["event"] }>`
          select run_id, at, event from run_events
          where ${sql.in("run_id", runIds)} and event in ('execution.start', 'execution.released')`.pipe(
          Effect.map((rows) => rows.map(({ at, event, run_id }) => ({ runId: run_id, at: at.getTime(), event }))),
          withoutSqlErrors
        )
      ),
      missing: Effect.fn("StartLedger.missing")((workspaceId, { from, limit, to }) =>
        sql<{ readonly id: string }>`
          select id from runs where workspace_id = ${workspaceId}
            and started_at >= ${new Date(from)} and started_at < ${new Date(to)}
            and not exists (select from run_starts where run_starts.run_id = runs.id and run_starts.attempt = 1)
            and not exists (select from retention_places place
              where place.workspace_id = runs.workspace_id and place.part = 'starts'
                and (runs.ended_at, runs.id) <= (place.ended_at, place.run_id))
          order by started_at limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ id }) => id)),
          withoutSqlErrors
        )
      )
    })
  )
)
