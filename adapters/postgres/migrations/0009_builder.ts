/** Conversations that build workflows, what is said in them, and looks at their pages. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // What is asked of all conversations has columns; the rest of one is its body. A lease is renewed without the body.
  `create table conversations (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    started_at timestamptz not null,
    expires_at timestamptz not null,
    ended boolean not null,
    needs_host boolean not null,
    lease_host text,
    lease_until timestamptz,
    fence integer not null,
    body text not null,
    check ((lease_host is null) = (lease_until is null))
  )`,
  `create index conversations_of_workspace on conversations (workspace_id, started_at desc) where not ended`,
  `create index conversations_to_host on conversations (expires_at) where needs_host`,
  `create table conversation_messages (
    conversation_id uuid not null references conversations,
    number integer not null check (number >= 1),
    id uuid not null,
    body text not null,
    primary key (conversation_id, number),
    unique (conversation_id, id)
  )`,
  `create table conversation_looks (
    conversation_id uuid not null references conversations,
    kind text not null check (kind in ('screenshot', 'html')),
    wanted integer not null,
    given integer not null,
    view text,
    primary key (conversation_id, kind),
    check (given <= wanted)
  )`
]

export const builder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
