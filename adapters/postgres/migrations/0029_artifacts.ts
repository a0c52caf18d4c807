/**
 * Whose the artifacts are that are kept, how large, and since when; what runs did without, and when their artifacts were
 * removed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table artifacts (
    id uuid primary key,
    run_id uuid not null references runs,
    workflow_id uuid not null references workflows,
    kind text not null check (kind in ('screenshot', 'snapshot', 'video', 'file')),
    bytes bigint not null default 0,
    at timestamptz not null,
    finished_at timestamptz,
    taken_at timestamptz
  )`,
  `create index artifacts_of_run on artifacts (run_id)`,
  `create index artifacts_of_workflow on artifacts (workflow_id)`,
  `create index artifacts_by_age on artifacts (at)`,
  `create index artifacts_unfinished on artifacts (at) where finished_at is null`,
  `create table artifact_totals (
    run_id uuid primary key references runs,
    left_out integer not null default 0,
    removed_at timestamptz
  )`,
  `create index run_snapshots_by_age on run_snapshots (at)`,
  `create index run_snapshots_by_artifact on run_snapshots (artifact_id)`,
  `create index network_events_by_age on network_events (started_at)`,

  // What earlier versions have kept. An id stands in the payload as this service wrote it.
  `insert into artifacts (id, run_id, workflow_id, kind, at, finished_at)
    select artifact_id, run_id, workflow_id, 'snapshot', at, at from run_snapshots join runs on runs.id = run_id
    on conflict do nothing`,
  `insert into artifacts (id, run_id, workflow_id, kind, at, finished_at)
    select found.id::uuid, run_id, workflow_id, 'screenshot', at, at
    from (select run_id, at, substring(payload from '"screenshot_id":"([0-9a-f-]{36})"') as id
      from run_events where event = 'screenshot.uploaded') found
    join runs on runs.id = run_id where found.id is not null
    on conflict do nothing`
]

export const artifacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
