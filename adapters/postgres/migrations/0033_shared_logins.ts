/**
 * What credentials share when they sign in is named since it may be a mailbox as well. Databases from before that have a
 * rule of three words for it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import * as SlotColumns from "../claim/SlotColumns.ts"

const statements = [
  `alter table vault_entries drop constraint if exists vault_entries_login_rule_check`,
  `alter table vault_entries alter column login_rule drop not null`
]

export const sharedLogins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
  const entries = yield* sql<{ readonly id: string }>`select id from vault_entries`
  for (const { id } of entries) {
    const [row] = yield* sql<{ readonly body: string }>`select body from vault_entries where id = ${id}`
    if (row === undefined) continue
    const { login_rule } = SlotColumns.of(JSON.parse(row.body) as VaultEntry)
    yield* sql`update vault_entries set login_rule = ${login_rule} where id = ${id}`
  }
})
