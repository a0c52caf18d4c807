/** The limits of workspaces on what models cost, what was spent each day, and every call of a model. */
export const modelSpending: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `create table model_terms (
    workspace_id uuid primary key references workspaces,
    body text not null
  )`,
  // `scope` is the workspace or one of its workflows.
  `create table model_days (
    workspace_id uuid not null references workspaces,
    scope uuid not null,
    day text not null,
    spent text not null,
    open text not null,
    primary key (workspace_id, day, scope)
  )`,
  // `lost_at` of an open call: then it counts as one that used the most that it may.
  `create table model_ledger (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null,
    run_id uuid not null,
    day text not null,
    lost_at timestamptz,
    body text not null
  )`,
  "create index model_ledger_of_workspace on model_ledger (workspace_id, position desc)",
  "create index model_ledger_of_run on model_ledger (run_id, position desc)",
  "create index model_ledger_of_workflow on model_ledger (workflow_id, position desc)",
  "create index model_ledger_open on model_ledger (workspace_id, lost_at) where lost_at is not null"
]
