/** The answers of requests that clients name by keys of their own, and a place for long inputs on their way. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // An entry without a status is reserved, by an attempt that is under way or has died.
  `create table idempotency_keys (
    workspace_id uuid not null references workspaces,
    key text not null,
    digest text not null,
    created_at timestamptz not null,
    reserved_until timestamptz not null,
    status integer,
    content_type text,
    body text,
    primary key (workspace_id, key),
    check ((status is null) = (content_type is null))
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,

  // Empty but within a transaction that submits a run.
  `create unlogged table run_input_pieces (
    run_id uuid not null,
    position integer not null,
    piece text not null,
    primary key (run_id, position)
  )`
]

export const requests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
