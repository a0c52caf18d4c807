/**
 * Destinations of files, a table as `PgCollection` reads it, and the deliveries of files of runs to them.
 */
export const fileDeliveries: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table file_destinations (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    key_hash text not null,
    body text not null,
    unique (workspace_id, key_hash)
  )`,
  `create table file_deliveries (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    run_id uuid not null references runs,
    file_id uuid not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    due_at timestamptz,
    turn integer not null,
    body text not null,
    unique (run_id, file_id),
    check ((status = 'pending') = (due_at is not null))
  )`,
  "create index file_deliveries_of_workspace on file_deliveries (workspace_id, position desc)",
  "create index file_deliveries_due on file_deliveries (due_at) where due_at is not null"
]
