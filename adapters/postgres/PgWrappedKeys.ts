/** Wrapped encryption keys in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type WrappedKey, WrappedKeys } from "../../core/vault/WrappedKeys.ts"
import { WorkspaceId } from "../../core/workspace/Workspace.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"

interface Row {
  readonly workspace_id: string
  readonly wrapped: string
  readonly created_at: Date
}

export const layer = Layer.effect(
  WrappedKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const of = (workspaceId: WorkspaceId) =>
      sql<Row>`select * from workspace_keys where workspace_id = ${workspaceId}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toKey))
      )
    return WrappedKeys.of({
      get: Effect.fn("WrappedKeys.get")((workspaceId) => withoutSqlErrors(of(workspaceId))),
      list: sql<Row>`select * from workspace_keys order by created_at, workspace_id`.pipe(
        Effect.map((rows) => rows.map(toKey)),
        withoutSqlErrors
      ),
      insert: Effect.fn("WrappedKeys.insert")((key) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* sql`
              insert into workspace_keys ${sql.insert({
                workspace_id: key.workspaceId,
                wrapped: key.wrapped,
                created_at: new Date(key.createdAt)
              })}
              on conflict (workspace_id) do nothing`
            return Option.getOrElse(yield* of(key.workspaceId), () => key)
          })
        )
      )
    })
  })
)

const toKey = ({ created_at, workspace_id, wrapped }: Row): WrappedKey => ({
  workspaceId: WorkspaceId.make(workspace_id),
  wrapped,
  createdAt: created_at.getTime()
})
