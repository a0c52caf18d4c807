/**
 * What a run leaves behind beside its events: the credentials it refers to, its failures to be counted, its snapshots and
 * network log, and what those who watch it share with its worker.
 *
 * What comes from pages and users is kept as JSON text, or as a hash where it is looked up: it may hold any character.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table runs add column credentials text not null default '[]'`,
  `create table run_credentials (
    workspace_id uuid not null references workspaces,
    credential_hash text not null,
    run_id uuid not null references runs,
    primary key (workspace_id, credential_hash, run_id)
  )`,

  // A failure of a run is in the run's row as well, where its record is read; here it is counted.
  `create table run_errors (
    run_id uuid not null references runs,
    position integer not null,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    at timestamptz not null,
    error_code text not null,
    body text not null,
    primary key (run_id, position)
  )`,
  `create index run_errors_of_workflow on run_errors (workflow_id, at desc)`,
  `insert into run_errors
    select runs.id, position, workspace_id, workflow_id, (error ->> 'created_at')::timestamptz,
      case when error ->> 'error_code' is null then '"UNKNOWN"' else (error -> 'error_code')::text end, error::text
    from runs, json_array_elements(errors::json) with ordinality as failures (error, position)
    where errors <> '[]'`,

  `create table run_snapshots (
    run_id uuid not null references runs,
    node_id text not null,
    artifact_id uuid not null,
    at timestamptz not null,
    primary key (run_id, node_id)
  )`,
  `create table network_logs (
    run_id uuid primary key references runs,
    open boolean not null,
    truncated boolean not null
  )`,
  `create table network_events (
    run_id uuid not null references network_logs,
    id text not null,
    started_at timestamptz not null,
    body_characters integer not null,
    body text not null,
    primary key (run_id, id)
  )`,

  `create table live_admissions (
    hash text primary key,
    run_id uuid not null references runs,
    expires_at timestamptz not null
  )`,
  `create index live_admissions_over on live_admissions (expires_at)`,
  `create table live_frames (
    run_id uuid primary key references runs,
    at timestamptz not null,
    bytes bytea not null
  )`
]

export const evidence = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
