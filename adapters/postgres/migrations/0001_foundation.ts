/**
 * Workspaces and keys, workflows and their versions, gates, runs and their events.
 *
 * JSON that users send is kept as text: it stays as they wrote it, key order and odd characters included, and the
 * database compresses it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table workspaces (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null,
    waiting_ttl_ms bigint check (waiting_ttl_ms > 0)
  )`,
  `create table api_keys (
    id uuid primary key,
    hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
    workspace_id uuid not null references workspaces,
    user_id uuid not null,
    role text not null check (role in ('Viewer', 'Member', 'Owner')),
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
  `create index api_keys_of_workspace on api_keys (workspace_id)`,

  `create table workflows (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    name text not null,
    description text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    created_by uuid not null
  )`,
  `create index workflows_of_workspace on workflows (workspace_id, updated_at desc)`,
  `create table workflow_versions (
    version_id uuid primary key,
    workflow_id uuid not null references workflows,
    version_number integer not null check (version_number >= 1),
    created_at timestamptz not null,
    created_by uuid not null,
    version_note text,
    nodes text not null,
    edges text not null,
    input_schema text not null,
    output_schema text not null,
    vault_schema text not null,
    max_retries integer not null,
    settings text not null,
    unique (workflow_id, version_number)
  )`,

  // The one row on which submissions, edits and claims of a workflow serialise. The passage [starts_at, stops_at) is
  // derived from the rest at every write; both are null when runs may not start, stops_at alone when there is no end.
  `create table gates (
    workflow_id uuid primary key references workflows,
    workspace_id uuid not null references workspaces,
    run_window text,
    window_set_at timestamptz,
    window_set_by uuid,
    revision integer not null,
    lift_since timestamptz,
    lift_by uuid,
    paused_at timestamptz,
    paused_until timestamptz,
    paused_by uuid,
    paused_reason text,
    starts_at timestamptz,
    stops_at timestamptz check (stops_at is null or starts_at < stops_at),
    review_at timestamptz,
    waiting boolean not null default false,
    served_at timestamptz
  )`,
  // A claim looks only at gates that have waiting runs and have begun to let them start.
  `create index gates_startable on gates (starts_at) where waiting`,
  `create index gates_to_review on gates (review_at) where review_at is not null`,

  `create sequence run_fences`,
  `create table runs (
    id uuid primary key,
    sequence bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    version_id uuid not null references workflow_versions,
    status text not null check (status in ('execution.queued', 'execution.requeued', 'execution.start',
      'execution.success', 'execution.failed', 'execution.stopped')),
    input text not null,
    options text not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    attempts integer not null,
    retries integer not null,
    max_retries integer not null,
    not_before timestamptz not null,
    expires_at timestamptz,
    lease_worker text,
    lease_fence bigint,
    lease_until timestamptz,
    acted boolean not null,
    committed boolean not null,
    data text not null,
    errors text not null,
    check ((status = 'execution.start') = (lease_fence is not null)),
    check ((lease_fence is null) = (lease_until is null) and (lease_fence is null) = (lease_worker is null)),
    check ((ended_at is null) = (status in ('execution.queued', 'execution.requeued', 'execution.start')))
  )`,
  `create index runs_waiting on runs (workflow_id, sequence) where status in ('execution.queued', 'execution.requeued')`,
  `create index runs_leased on runs (lease_until) where status = 'execution.start'`,
  `create index runs_expiring on runs (expires_at)
    where status in ('execution.queued', 'execution.requeued') and expires_at is not null`,
  `create index runs_put_off on runs (not_before) where status = 'execution.requeued'`,
  `create index runs_of_workspace on runs (workspace_id, created_at desc)`,

  `create table run_events (
    sequence bigint generated always as identity primary key,
    run_id uuid not null references runs,
    at timestamptz not null,
    event text not null,
    payload text not null
  )`,
  `create index run_events_of_run on run_events (run_id, sequence)`,

  `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% of % refused: %', tg_op, tg_table_name, tg_argv[0];
  end $$`,
  `create trigger ended_runs_never_change before update or delete on runs for each row
    when (old.ended_at is not null) execute function refuse_change('the run has ended')`,
  `create trigger events_are_only_appended before update or delete on run_events for each row
    execute function refuse_change('events are only appended')`,
  `create trigger versions_never_change before update or delete on workflow_versions for each row
    execute function refuse_change('a version never changes')`
]

export const foundation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
