/** The mailbox of each credential, so that an address is looked up by an index. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import * as PgMailboxes from "../vault/PgMailboxes.ts"

export const mailboxes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("alter table vault_entries add column mailbox_hash text")
  const entries = yield* sql<{ readonly id: string }>`select id from vault_entries`
  for (const { id } of entries) {
    const [row] = yield* sql<{ readonly body: string }>`select body from vault_entries where id = ${id}`
    if (row === undefined) continue
    const entry = JSON.parse(row.body) as VaultEntry
    yield* sql`update vault_entries set ${sql.update(PgMailboxes.columnOf(entry))} where id = ${id}`
  }
  yield* sql.unsafe("create index vault_entries_of_mailbox on vault_entries (mailbox_hash)")
})
