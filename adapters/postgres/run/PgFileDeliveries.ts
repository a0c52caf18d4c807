/** Deliveries of files in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { FileDeliveries } from "../../../core/run/delivery/FileDeliveries.ts"
import * as FileDelivery from "../../../core/run/delivery/FileDelivery.ts"
import { isUuid } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/FileDeliveries.ts"

export const layer = Layer.effect(
  FileDeliveries,
  Effect.map(SqlClient.SqlClient, (sql) =>
    FileDeliveries.of({
      append: Effect.fn("FileDeliveries.append")((made) => {
        const [first, ...rest] = made.map((delivery) => Rows.table.encode({ delivery, turn: 0 }))
        return first === undefined
          ? Effect.void
          : sql`
              insert into file_deliveries ${sql.insert([first, ...rest])}
              on conflict (run_id, file_id) do nothing`.pipe(Effect.asVoid, withoutSqlErrors)
      }),
      take: Effect.fn("FileDeliveries.take")((now, until) =>
        sql<Rows.Row>`
          update file_deliveries set due_at = ${new Date(until)}, turn = turn + 1
          where id = (
            select id from file_deliveries where due_at <= ${new Date(now)}
            order by due_at limit 1 for update skip locked)
          returning *`.pipe(
          Effect.map(([row]) =>
            row === undefined ? Option.none() : Option.some({ turn: row.turn, delivery: Rows.toDelivery(row) })
          ),
          withoutSqlErrors
        )
      ),
      nextDue: sql<{ readonly at: Date | null }>`select min(due_at) as at from file_deliveries`.pipe(
        Effect.map(([row]) => row?.at?.getTime() ?? null),
        withoutSqlErrors
      ),
      settle: Effect.fn("FileDeliveries.settle")(({ turn }, delivery) =>
        sql`
          update file_deliveries set ${sql.update(Rows.changes.encode({ delivery, turn: turn + 1 }))}
          where id = ${delivery.id} and turn = ${turn}`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      list: Effect.fn("FileDeliveries.list")((workspaceId, { before, limit, runId, status }) =>
        sql<Rows.Row>`select * from file_deliveries where ${sql.and([
          sql`workspace_id = ${workspaceId}`,
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(runId === undefined ? [] : [sql`run_id = ${runId}`]),
          ...(before === undefined ? [] : [sql`position < ${before}`])
        ])} order by position desc limit ${limit}`.pipe(
          Effect.map((rows) => rows.map((row) => ({ position: Number(row.position), delivery: Rows.toDelivery(row) }))),
          withoutSqlErrors
        )
      ),
      ofRun: Effect.fn("FileDeliveries.ofRun")((workspaceId, runId) =>
        sql<Rows.Row>`
          select * from file_deliveries where run_id = ${runId} and workspace_id = ${workspaceId}
          order by position`.pipe(
          Effect.map((rows) => rows.map(Rows.toDelivery)),
          withoutSqlErrors
        )
      ),
      retry: Effect.fn("FileDeliveries.retry")((workspaceId, id, now) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = isUuid(id)
              ? yield* sql<Rows.Row>`
                  select * from file_deliveries where id = ${id} and workspace_id = ${workspaceId} for update`
              : []
            if (row === undefined) return yield* new FileDelivery.FileDeliveryNotFound({ deliveryId: id })
            const delivery = yield* Effect.fromResult(FileDelivery.retry(Rows.toDelivery(row), now))
            yield* sql`
              update file_deliveries set ${sql.update(Rows.changes.encode({ delivery, turn: row.turn + 1 }))}
              where id = ${id}`
            return delivery
          })
        )
      )
    })
  )
)
