/** The deliveries of events to webhooks. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // `target` is the registered webhook, or the run itself for the webhook that its submission named. Of one run and
  // target, deliveries stand in a line: one that has never been due has no `next_attempt_at`, and is pending. `turn`
  // grows with every entry of the queue that is made for a delivery: only the latest one counts.
  `create table webhook_deliveries (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    run_id uuid not null references runs,
    target uuid not null,
    sequence bigint not null references run_events,
    url text not null,
    created_at timestamptz not null,
    since timestamptz not null,
    status text not null check (status in ('pending', 'delivered', 'dead')),
    attempts integer not null,
    next_attempt_at timestamptz,
    turn integer not null,
    duration_ms integer,
    response_status integer,
    errors text not null,
    unique (run_id, target, sequence),
    check (status = 'pending' or next_attempt_at is null)
  )`,
  `create index webhook_deliveries_of_workspace on webhook_deliveries (workspace_id, position desc)`,
  `create index webhook_deliveries_unsettled on webhook_deliveries (workspace_id, status, position desc)
    where status <> 'delivered'`
]

export const webhookDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
