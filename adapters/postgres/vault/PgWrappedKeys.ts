/** Wrapped keys in PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/WrappedKeys.ts"

export const layer = Layer.effect(
  WrappedKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const happened = (rows: ReadonlyArray<unknown>) => rows.length > 0
    return WrappedKeys.of({
      of: Effect.fn("WrappedKeys.of")((owner) =>
        sql<Rows.Row>`select * from wrapped_keys where owner = ${owner} order by version`.pipe(
          Effect.map((rows) => rows.map(Rows.toKey)),
          withoutSqlErrors
        )
      ),
      list: sql<Rows.Row>`select * from wrapped_keys order by created_at, owner, version`.pipe(
        Effect.map((rows) => rows.map(Rows.toKey)),
        withoutSqlErrors
      ),
      insert: Effect.fn("WrappedKeys.insert")((key) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* sql`
              insert into wrapped_keys ${sql.insert(Rows.table.encode(key))}
              on conflict (owner, version) do nothing`
            const [row] = yield* sql<Rows.Row>`
              select * from wrapped_keys where owner = ${key.owner} and version = ${key.version}`
            return row === undefined ? key : Rows.toKey(row)
          })
        )
      ),
      rewrap: Effect.fn("WrappedKeys.rewrap")(({ owner, version, wrapped }, after) =>
        sql`
          update wrapped_keys set wrapped = ${after.wrapped}, master_key = ${after.under}
          where owner = ${owner} and version = ${version} and wrapped = ${wrapped} returning version`.pipe(
          Effect.map(happened),
          withoutSqlErrors
        )
      ),
      retire: Effect.fn("WrappedKeys.retire")((owner, version, at) =>
        sql`
          update wrapped_keys set retired_at = ${new Date(at)}
          where owner = ${owner} and version = ${version} and retired_at is null returning version`.pipe(
          Effect.map(happened),
          withoutSqlErrors
        )
      ),
      remove: Effect.fn("WrappedKeys.remove")((owner, version) =>
        sql`
          delete from wrapped_keys
          where owner = ${owner} and version = ${version} and retired_at is not null`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      )
    })
  })
)
