/**
 * The lifetime of the signed addresses of a workspace, and the key that admitted a viewer to a live view.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table workspaces add column signed_url_ttl_s integer not null default 604800
    check (signed_url_ttl_s between 3600 and 604800)`,
  `alter table live_admissions add column key_id uuid`
]

export const lifetimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
