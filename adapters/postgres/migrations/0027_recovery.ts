/** What runs found out: changes that they offer of their workflows, and what the elements of these looked like. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as PgCollection from "../PgCollection.ts"

const statements = [
  PgCollection.table("patches"),
  `alter table patches add column workflow_id uuid not null references workflows`,
  `create index patches_by_workflow on patches (workflow_id, position)`,
  `create table element_memory (
    workspace_id uuid not null references workspaces,
    workflow_id uuid not null references workflows,
    node_id text not null,
    seen_at timestamptz not null,
    body text not null,
    primary key (workflow_id, node_id)
  )`
]

export const recovery = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
