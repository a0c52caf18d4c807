/** The mailboxes of credentials in PostgreSQL, by an indexed column beside each entry. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import { Mailboxes } from "../../../core/vault/inbox/Mailboxes.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"

export const layer = Layer.effect(
  Mailboxes,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Mailboxes.of({
      ownersOf: Effect.fn("Mailboxes.ownersOf")((mailbox) =>
        sql<{ readonly workspace_id: string }>`
          select distinct workspace_id from vault_entries where mailbox_hash = ${hash(mailbox)} limit 2`.pipe(
          Effect.map((rows) => rows.map(({ workspace_id }) => WorkspaceId.make(workspace_id))),
          withoutSqlErrors
        )
      )
    })
  )
)

/** The column that follows from an entry. Mailboxes may be longer than an index takes, so their SHA-256 is kept. */
export const columnOf = (entry: VaultEntry) => ({ mailbox_hash: hash(Inbox.mailboxKey(entry.workspaceId, entry)) })

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
