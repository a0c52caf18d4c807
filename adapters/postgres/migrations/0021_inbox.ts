/**
 * What was found out of the senders of mails, which messages have arrived, the phone numbers of workspaces, and how
 * addresses of the inbox find their workspace.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table received_codes add column authentication text`,
  `create table received_messages (
    id text primary key check (length(id) <= 200),
    received_at timestamptz not null
  )`,
  `create index received_messages_by_age on received_messages (received_at)`,
  `create table phone_numbers (
    workspace_id uuid primary key references workspaces,
    number text not null unique check (number ~ '^\\+[1-9][0-9]{6,14}$')
  )`,
  `create index workspaces_by_prefix on workspaces (right(id::text, 8))`
]

export const inbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
