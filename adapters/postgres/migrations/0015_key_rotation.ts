/**
 * Key rotation: each owner may have several keys, and each records the master key that wraps it. Stored answers in
 * clear are deleted: they are short-lived, and cannot be sealed in a migration.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as PgCollection from "../PgCollection.ts"

const statements = [
  `create table wrapped_keys (
    owner text not null,
    workspace_id uuid references workspaces,
    version integer not null check (version >= 1),
    wrapped text not null check (wrapped ~ '^[0-9a-f]{120}$'),
    master_key text,
    created_at timestamptz not null,
    retired_at timestamptz,
    primary key (owner, version),
    check (owner = coalesce(workspace_id::text, 'installation'))
  )`,
  `insert into wrapped_keys (owner, workspace_id, version, wrapped, created_at)
    select workspace_id::text, workspace_id, 1, wrapped, created_at from workspace_keys`,
  `drop table workspace_keys`,
  // The version of the key that the holder of an API key last sealed a value with, while two are accepted.
  `alter table api_keys add column seals_with integer`,
  PgCollection.table("resealings"),
  `update interactions set answer = null, closed_at = now() where answer is not null`,
  // A request of before the change that is sent again is refused, and not carried out twice.
  `update idempotency_keys set body = null, digest = ''`
]

export const keyRotation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
