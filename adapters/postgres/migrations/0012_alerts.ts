/**
 * Receivers of alerts, a table as `PgCollection` reads it, and the alerts that are gathered for them and sent.
 */
export const alerts: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table alert_receivers (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    key_hash text not null,
    body text not null,
    unique (workspace_id, key_hash)
  )`,
  `create table alerts (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    receiver_id uuid not null,
    cause text not null,
    status text not null check (status in ('gathering', 'sending', 'sent', 'failed')),
    due_at timestamptz,
    settled_at timestamptz,
    turn integer not null,
    body text not null,
    check ((status in ('gathering', 'sending')) = (due_at is not null)),
    check ((settled_at is null) = (due_at is not null))
  )`,
  "create index alerts_of_workspace on alerts (workspace_id, position desc)",
  "create index alerts_of_cause on alerts (receiver_id, cause, position desc)",
  "create index alerts_due on alerts (due_at) where due_at is not null",
  "create index alerts_settled on alerts (settled_at) where settled_at is not null"
]
