/**
 * The columns of sealed values in PostgreSQL beside those of the vault: subscriptions, and columns of one value each.
 */
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as AlertReceiver from "../../../core/event/alert/AlertReceiver.ts"
import * as KeptSubscription from "../../../core/event/notification/KeptSubscription.ts"
import * as FileDestination from "../../../core/run/delivery/FileDestination.ts"
import { SealedColumns, type Target } from "../../../core/vault/keys/ReencryptionTargets.ts"
import { withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly id: string
  readonly sealed: string
}

interface Column {
  readonly name: string
  readonly table: string
  /** The key that identifies and orders the rows of a workspace. */
  readonly id: string
  readonly sealed: string
}

const columns: ReadonlyArray<Column> = [
  { name: "received codes", table: "received_codes", id: "id", sealed: "sealed" },
  { name: "answers of persons", table: "interactions", id: "run_id", sealed: "answer" },
  { name: "answers of named requests", table: "idempotency_keys", id: "key", sealed: "body" }
]

export const layer = Layer.effect(
  SealedColumns,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const subscriptions = yield* KeptSubscription.sealedPlace
    const destinations = yield* FileDestination.sealedPlace
    const receivers = yield* AlertReceiver.sealedPlace
    const place = ({ name, ...column }: Column): Target => {
      const [table, id, sealed] = [sql(column.table), sql(column.id), sql(column.sealed)]
      const following = (workspaceId: string, after: string | null): Statement.Fragment =>
        after === null
          ? sql`workspace_id = ${workspaceId} and ${sealed} is not null`
          : sql`workspace_id = ${workspaceId} and ${sealed} is not null and ${id} > ${after}`
      return {
        name,
        page: (workspaceId, after, limit) =>
          sql<Row>`
            select ${id} as id, ${sealed} as sealed from ${table} where ${following(workspaceId, after)}
            order by ${id} limit ${limit + 1}`.pipe(
            Effect.map((rows) => ({
              holders: rows.slice(0, limit).map((row) => ({ id: row.id, sealed: [row.sealed] })),
              next: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null
            })),
            withoutSqlErrors
          ),
        left: (workspaceId, after) =>
          sql<{ readonly n: number }>`
            select count(*)::int as n from ${table} where ${following(workspaceId, after)}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            withoutSqlErrors
          ),
        replace: (workspaceId, holder, renewed) =>
          Effect.forEach(
            renewed,
            ([before, after]) =>
              withoutSqlErrors(sql`
                update ${table} set ${sealed} = ${after}
                where workspace_id = ${workspaceId} and ${id} = ${holder} and ${sealed} = ${before}`),
            { discard: true }
          )
      }
    }
    return [subscriptions, destinations, receivers, ...columns.map(place)]
  })
)
