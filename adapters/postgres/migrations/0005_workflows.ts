/** Deleted workflows, components with their versions, and which workflows hold them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // On the gate, where submissions, edits and claims serialise: a transaction that waited for its row sees that it is
  // deleted.
  `alter table gates add column removed_at timestamptz`,
  `create index gates_removed on gates (workflow_id) where removed_at is not null and waiting`,

  `alter table runs add column added_output text`,

  `create index workflows_named on workflows (workspace_id, name)`,

  // Components have versions, and more than one may have the same name, which a collection does not allow for.
  `create table components (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    created_by uuid not null
  )`,
  `create index components_of_workspace on components (workspace_id, position)`,
  `create table component_versions (
    id uuid primary key,
    component_id uuid not null references components on delete cascade,
    version_number integer not null check (version_number >= 1),
    created_at timestamptz not null,
    created_by uuid not null,
    version_note text,
    component_data text not null,
    unique (component_id, version_number)
  )`,
  `create trigger component_versions_never_change before update on component_versions for each row
    execute function refuse_change('a version never changes')`,

  // Which components the latest version of each workflow holds, written with that version. No reference to components:
  // a workflow may name one that is gone.
  `create table workflow_components (
    component_id uuid not null,
    workflow_id uuid not null references workflows,
    primary key (component_id, workflow_id)
  )`,
  `create index workflow_components_of_workflow on workflow_components (workflow_id)`
]

export const workflows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
