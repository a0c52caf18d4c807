/**
 * The encryption keys of workspaces, wrapped by the master key, and the codes that were received for credentials.
 *
 * A wrapped key is the hexadecimal of a 12-byte IV, 32 bytes of key and a 16-byte tag.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table workspace_keys (
    workspace_id uuid primary key references workspaces,
    wrapped text not null check (wrapped ~ '^[0-9a-f]{120}$'),
    created_at timestamptz not null
  )`,
  `create table received_codes (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    address text not null,
    sealed text not null,
    received_at timestamptz not null
  )`,
  `create index received_codes_of_address on received_codes (workspace_id, address, received_at desc)`,
  `create index received_codes_by_age on received_codes (received_at)`
]

export const vault = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
