/** What runs ask people, how long they wait for corrected inputs, and until when an event matters. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The latest question of each run. An answer stands here only until the run has taken it.
  `create table interactions (
    run_id uuid primary key references runs on delete cascade,
    id uuid not null,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    fence bigint not null,
    question text not null,
    asked_at timestamptz not null,
    expires_at timestamptz not null,
    answered_at timestamptz,
    closed_at timestamptz,
    answer text check (answer is null or (answered_at is not null and closed_at is null))
  )`,
  `create index interactions_not_taken on interactions (expires_at) where answer is not null`,
  `alter table workspaces add column input_required_timeout_s integer not null default 15
    check (input_required_timeout_s between 5 and 300)`,
  `alter table run_events add column expires_at timestamptz`
]

export const interactions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
