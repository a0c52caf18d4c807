/** Removing runs in PostgreSQL, with the rows of all tables that refer to them. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RunRemovalStore } from "../../../../core/run/retention/RunRemovalStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../../Transaction.ts"
import { isUnread } from "./UnreadRuns.ts"

/** The tables with a column `run_id`, in an order in which nothing refers to what is gone. */
const tables = [
  "webhook_deliveries",
  "file_deliveries",
  "client_progress",
  "run_events",
  "run_snapshots",
  "network_events",
  "network_logs",
  "run_decisions",
  "artifacts",
  "artifact_totals",
  "live_admissions",
  "live_controls",
  "live_frames",
  "run_labels",
  "run_references",
  "run_errors",
  "run_starts",
  "login_failures",
  "interactions"
]

export const layer = Layer.effect(
  RunRemovalStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RunRemovalStore.of({
      ended: Effect.fn("RunRemovalStore.ended")((workspaceId, before, limit) =>
        sql<{ readonly id: RunId }>`
          select id from runs where workspace_id = ${workspaceId} and ended_at < ${new Date(before)}
            and not ${isUnread(sql)}
          order by ended_at, id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ id }) => id)),
          withoutSqlErrors
        )
      ),
      artifactsOf: Effect.fn("RunRemovalStore.artifactsOf")((ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<{ readonly id: string }>`select id from artifacts where ${sql.in("run_id", ids)}`.pipe(
              Effect.map((rows) => rows.map(({ id }) => id)),
              withoutSqlErrors
            )
      ),
      remove: Effect.fn("RunRemovalStore.remove")((ids) =>
        ids.length === 0
          ? Effect.succeed(0)
          : transaction(
              sql,
              Effect.gen(function* () {
                const locked = yield* sql<{ readonly id: string }>`
                  select id from runs where ${sql.in("id", ids)} and ended_at is not null
                  order by id for update skip locked`
                if (locked.length === 0) return 0
                const gone = locked.map(({ id }) => id)
                // Says to the triggers that these rows may go, until the transaction ends.
                yield* sql`select set_config('sluice.removal', 'on', true)`
                for (const table of tables) yield* sql`delete from ${sql(table)} where ${sql.in("run_id", gone)}`
                yield* sql`delete from runs where ${sql.in("id", gone)}`
                yield* sql`select set_config('sluice.removal', 'off', true)`
                return gone.length
              })
            )
      )
    })
  )
)
