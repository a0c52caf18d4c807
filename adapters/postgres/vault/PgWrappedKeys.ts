/** Wrapped keys in PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Owner, type WrappedKey, WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly owner: string
  readonly version: number
  readonly wrapped: string
  readonly master_key: string | null
  readonly created_at: Date
  readonly retired_at: Date | null
}

export const layer = Layer.effect(
  WrappedKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const happened = (rows: ReadonlyArray<unknown>) => rows.length > 0
    return WrappedKeys.of({
      of: Effect.fn("WrappedKeys.of")((owner) =>
        sql<Row>`select * from wrapped_keys where owner = ${owner} order by version`.pipe(
          Effect.map((rows) => rows.map(toKey)),
          withoutSqlErrors
        )
      ),
      list: sql<Row>`select * from wrapped_keys order by created_at, owner, version`.pipe(
        Effect.map((rows) => rows.map(toKey)),
        withoutSqlErrors
      ),
      insert: Effect.fn("WrappedKeys.insert")((key) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* sql`
              insert into wrapped_keys ${sql.insert({
                owner: key.owner,
                workspace_id: key.owner === "installation" ? null : key.owner,
                version: key.version,
                wrapped: key.wrapped,
                master_key: key.under,
                created_at: new Date(key.createdAt),
                retired_at: key.retiredAt === null ? null : new Date(key.retiredAt)
              })}
              on conflict (owner, version) do nothing`
            const [row] = yield* sql<Row>`
              select * from wrapped_keys where owner = ${key.owner} and version = ${key.version}`
            return row === undefined ? key : toKey(row)
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

const toKey = (row: Row): WrappedKey => ({
  owner: ownerOf(row.owner),
  version: row.version,
  wrapped: row.wrapped,
  under: row.master_key,
  createdAt: row.created_at.getTime(),
  retiredAt: row.retired_at?.getTime() ?? null
})

const ownerOf = (text: string): Owner => (text === "installation" ? text : WorkspaceId.make(text))
