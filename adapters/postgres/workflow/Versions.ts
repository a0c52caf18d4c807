/**
 * Reads and writes versions of workflows within a transaction, with what follows from the latest one.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Waiting } from "../../../core/run/Run.ts"
import * as Canary from "../../../core/workflow/canary/Canary.ts"
import * as Instances from "../../../core/workflow/component/Instances.ts"
import type { WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import type { StoredSizes, StoredWorkflow } from "../../../core/workflow/WorkflowStore.ts"
import { type WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgGateStore from "../gate/PgGateStore.ts"
import * as Components from "../tables/Components.ts"
import * as Gates from "../tables/Gates.ts"
import * as Workflows from "../tables/Workflows.ts"

/** A workflow that was not deleted, with one of its versions; `null` is the latest one. */
export const read = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  id: WorkflowId,
  versionNumber: number | null
) =>
  Effect.gen(function* () {
    const [workflow] = yield* sql<Workflows.Row>`
      select * from workflows where id = ${id} and workspace_id = ${workspaceId}`
    const [version] = yield* sql<Workflows.VersionRow>`
      select * from workflow_versions where workflow_id = ${id}
        and (${versionNumber}::integer is null or version_number = ${versionNumber}::integer)
      order by version_number desc limit 1`
    const [gate] = yield* sql<Gates.Row>`select * from gates where workflow_id = ${id} and removed_at is null`
    const [canary] = yield* sql<Workflows.CanaryRow>`select * from canaries where workflow_id = ${id}`
    if (workflow === undefined || version === undefined || gate === undefined) {
      return yield* new WorkflowNotFound({ workflowId: id })
    }
    return {
      workflow: Workflows.toWorkflow(workflow),
      version: Workflows.toVersion(version),
      gate: Gates.toGate(gate),
      canary: canary === undefined ? null : Workflows.toCanary(canary).canary
    } satisfies StoredWorkflow
  })

/** Stores the latest version of a workflow, and returns the compressed sizes of its fields in the table. */
export const insert = (sql: SqlClient.SqlClient, version: WorkflowVersion) =>
  Effect.gen(function* () {
    const id = version.workflowId
    yield* sql`insert into workflow_versions ${sql.insert(Workflows.versions.encode(version))}`
    yield* sql`delete from workflow_components where workflow_id = ${id}`
    const [first, ...rest] = Instances.components(version.content.nodes).map((componentId) =>
      Components.uses.encode({ componentId, workflowId: id })
    )
    if (first !== undefined) yield* sql`insert into workflow_components ${sql.insert([first, ...rest])}`
    return yield* sizesOf(sql, version)
  })

const sizesOf = (sql: SqlClient.SqlClient, version: WorkflowVersion) =>
  Effect.gen(function* () {
    const [sizes] = yield* sql<StoredSizes>`
      select pg_column_size(nodes) as nodes, pg_column_size(edges) as edges,
        pg_column_size(input_schema) as input_schema, pg_column_size(output_schema) as output_schema,
        pg_column_size(vault_schema) as vault_schema
      from workflow_versions where version_id = ${version.versionId}`
    return sizes ?? { nodes: 0, edges: 0, input_schema: 0, output_schema: 0, vault_schema: 0 }
  })

/** Writes the result of a save of a workflow whose gate is locked, and answers the sizes of its latest version. */
export const save = (sql: SqlClient.SqlClient, before: StoredWorkflow, after: StoredWorkflow, at: number) =>
  Effect.gen(function* () {
    const isNew = after.version.versionId !== before.version.versionId
    const sizes = yield* isNew ? insert(sql, after.version) : sizesOf(sql, after.version)
    const { description, id, name, updated_at } = Workflows.table.encode(after.workflow)
    yield* sql`update workflows set ${sql.update({ description, name, updated_at })} where id = ${id}`
    if (after.gate !== before.gate)
      yield* PgGateStore.write(sql, after.workflow.id, { before: before.gate, after: after.gate }, at)
    yield* saveCanary(sql, before, after, at)
    return sizes
  })

const saveCanary = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { canary: before }: StoredWorkflow,
  { canary, version }: StoredWorkflow,
  at: number
) {
  const after = Canary.afterSave(canary, version, at)
  if (after === null || after === before) return
  const { workflow_id, ...row } = Workflows.canaries.encode({ workflowId: version.workflowId, canary: after })
  yield* sql`insert into canaries ${sql.insert({ workflow_id, ...row })}
    on conflict (workflow_id) do update set ${sql.update(row)}`
  if (before === null || !Canary.isRollback(before, after)) return
  yield* sql`update runs set version_id = ${version.versionId}
    where workflow_id = ${version.workflowId} and version_id = ${before.candidate.versionId}
      and ${sql.in("status", Waiting.literals)} and attempts = 0`
})
