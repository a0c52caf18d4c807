/** The audit trail in PostgreSQL, where a trigger refuses to change or delete what was appended. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Audit, type Author, type Draft, type Filter } from "../../../core/workspace/audit/Audit.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "./AuditEntries.ts"

export const layer = Layer.effect(
  Audit,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const append = Effect.fnUntraced(function* (author: Author, draft: Draft) {
      const at = yield* Clock.currentTimeMillis
      yield* sql`insert into audit_entries ${sql.insert(Rows.table.encode({ author, at, draft }))}`
    })
    return Audit.of({
      record: Effect.fn("Audit.record")((author, draft) => withoutSqlErrors(append(author, draft))),
      recording: (author, change, describe) =>
        transaction(
          sql,
          Effect.tap(change, (result) =>
            Effect.forEach(describe(result), (draft) => append(author, draft), { discard: true })
          )
        ),
      list: Effect.fn("Audit.list")((workspaceId: WorkspaceId, filter: Filter) =>
        sql<Rows.Row>`
          select * from audit_entries where ${sql.and(conditions(sql, workspaceId, filter))}
          order by position desc limit ${filter.limit}`.pipe(
          Effect.map((rows) => rows.map(Rows.toEntry)),
          withoutSqlErrors
        )
      )
    })
  })
)

const conditions = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  { actions, before, from, keyId, resourceId, to, userId }: Filter
) => [
  sql`workspace_id = ${workspaceId}`,
  ...(actions === undefined
    ? []
    : [sql`(${sql.in("action", actions)} or split_part(action, '.', 1) in ${sql.in(actions)})`]),
  ...(resourceId === undefined ? [] : [sql`resource_id = ${resourceId}`]),
  ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
  ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
  ...(before === undefined ? [] : [sql`position < ${before}`]),
  ...(from === undefined ? [] : [sql`at >= ${new Date(from)}`]),
  ...(to === undefined ? [] : [sql`at < ${new Date(to)}`])
]
