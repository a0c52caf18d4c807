/** Alerts in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Alert from "../../../core/event/alert/Alert.ts"
import { Alerts } from "../../../core/event/alert/Alerts.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/Alerts.ts"

export const layer = Layer.effect(
  Alerts,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const changed = (id: string, alert: Alert.Alert, turn: number) => sql`
      update alerts set ${sql.update(Rows.changes.encode({ alert, turn }))} where id = ${id}`

    return Alerts.of({
      gather: Effect.fn("Alerts.gather")((receiverId, cause, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.Row>`
              select * from alerts where receiver_id = ${receiverId} and cause = ${cause}
              order by position desc limit 1 for update`
            const alert = decide(row === undefined ? null : Rows.toAlert(row))
            yield* row?.id === alert.id
              ? changed(alert.id, alert, row.turn + 1)
              : sql`insert into alerts ${sql.insert(Rows.table.encode({ alert, turn: 0 }))}`
          })
        ).pipe(Effect.asVoid)
      ),
      take: Effect.fn("Alerts.take")((now, until) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.Row>`
              select * from alerts where due_at <= ${new Date(now)} order by due_at limit 1 for update skip locked`
            if (row === undefined) return Option.none()
            const alert = Alert.taken(Rows.toAlert(row))
            const turn = row.turn + 1
            // Handed out again when its time is over.
            yield* changed(row.id, { ...alert, nextAttemptAt: until }, turn)
            return Option.some({ turn, alert })
          })
        )
      ),
      nextDue: sql<{ readonly at: Date | null }>`select min(due_at) as at from alerts`.pipe(
        Effect.map(([row]) => row?.at?.getTime() ?? null),
        withoutSqlErrors
      ),
      settle: Effect.fn("Alerts.settle")(({ turn }, alert) =>
        sql`
          update alerts set ${sql.update(Rows.changes.encode({ alert, turn: turn + 1 }))}
          where id = ${alert.id} and turn = ${turn}`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      list: Effect.fn("Alerts.list")((workspaceId, { before, limit, receiverId, status }) =>
        sql<Rows.Row>`select * from alerts where ${sql.and([
          sql`workspace_id = ${workspaceId}`,
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(receiverId === undefined ? [] : [sql`receiver_id::text = ${receiverId}`]),
          ...(before === undefined ? [] : [sql`position < ${before}`])
        ])} order by position desc limit ${limit}`.pipe(
          Effect.map((rows) => rows.map((row) => ({ position: Number(row.position), alert: Rows.toAlert(row) }))),
          withoutSqlErrors
        )
      ),
      tidy: Effect.fn("Alerts.tidy")((before) =>
        sql`delete from alerts where settled_at < ${new Date(before)}`.pipe(Effect.asVoid, withoutSqlErrors)
      )
    })
  })
)
