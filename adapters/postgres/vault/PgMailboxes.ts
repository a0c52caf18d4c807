/** The mailboxes of credentials in PostgreSQL, by an indexed column beside each entry. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Mailboxes } from "../../../core/vault/inbox/Mailboxes.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { sha256 } from "../Hash.ts"
import { withoutSqlErrors } from "../Transaction.ts"

export const layer = Layer.effect(
  Mailboxes,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Mailboxes.of({
      ownersOf: Effect.fn("Mailboxes.ownersOf")((mailbox) =>
        sql<{ readonly workspace_id: string }>`
          select distinct workspace_id from vault_entries where mailbox_hash = ${sha256(mailbox)} limit 2`.pipe(
          Effect.map((rows) => rows.map(({ workspace_id }) => WorkspaceId.make(workspace_id))),
          withoutSqlErrors
        )
      )
    })
  )
)
