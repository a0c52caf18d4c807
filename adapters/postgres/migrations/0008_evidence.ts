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
  yield* countEarlierErrors(sql)
})

interface Failed {
  readonly id: string
  readonly workspace_id: string
  readonly workflow_id: string
  readonly errors: string
}

/** The failures of the runs that there are. They are read here, as the database refuses to read JSON with a NUL in it. */
const countEarlierErrors = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const runs = yield* sql<Failed>`
      select id, workspace_id, workflow_id, errors from runs
      where errors <> '[]' and id > ${after} order by id limit 500`
    const rows = runs.flatMap(({ errors, id, workflow_id, workspace_id }) =>
      (JSON.parse(errors) as ReadonlyArray<{ created_at: string; error_code?: string | null }>).map((error, index) => ({
        run_id: id,
        position: index + 1,
        workspace_id,
        workflow_id,
        at: new Date(error.created_at),
        error_code: JSON.stringify(error.error_code ?? "UNKNOWN"),
        body: JSON.stringify(error)
      }))
    )
    const [first, ...rest] = rows
    if (first !== undefined) yield* sql`insert into run_errors ${sql.insert([first, ...rest])}`
    const last = runs.at(-1)
    if (last === undefined) return
    after = last.id
  }
})
