/** Workflows and their versions in PostgreSQL. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type WorkflowId, WorkflowNotFound } from "../../core/workflow/Workflow.ts"
import { type Stored, type StoredSizes, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { UserId, type WorkspaceId } from "../../core/workspace/Workspace.ts"
import * as PgGateStore from "./PgGateStore.ts"
import * as Rows from "./Rows.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"

export const layer = Layer.effect(
  WorkflowStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Keeps a version and answers what its fields take in the table, compressed as they are there. */
    const insertVersion = (version: Stored["version"]) =>
      Effect.gen(function* () {
        const inserted = yield* sql<{ readonly [K in keyof StoredSizes]: number }>`
          insert into workflow_versions ${sql.insert(Rows.fromVersion(version))} returning version_id`.pipe(
          Effect.andThen(sql<StoredSizes>`
            select pg_column_size(nodes) as nodes, pg_column_size(edges) as edges,
              pg_column_size(input_schema) as input_schema, pg_column_size(output_schema) as output_schema,
              pg_column_size(vault_schema) as vault_schema
            from workflow_versions where version_id = ${version.versionId}`)
        )
        return inserted[0] ?? { nodes: 0, edges: 0, input_schema: 0, output_schema: 0, vault_schema: 0 }
      })

    const latest = (workspaceId: WorkspaceId, id: WorkflowId, versionNumber: number | null) =>
      Effect.gen(function* () {
        const [workflow] = yield* sql<Rows.WorkflowRow>`
          select * from workflows where id = ${id} and workspace_id = ${workspaceId}`
        const [version] = yield* sql<Rows.VersionRow>`
          select * from workflow_versions where workflow_id = ${id}
            and (${versionNumber}::integer is null or version_number = ${versionNumber}::integer)
          order by version_number desc limit 1`
        const [gate] = yield* sql<Rows.GateRow>`select * from gates where workflow_id = ${id}`
        if (workflow === undefined || version === undefined || gate === undefined) {
          return yield* new WorkflowNotFound({ workflowId: id })
        }
        return {
          workflow: Rows.toWorkflow(workflow),
          version: Rows.toVersion(version),
          gate: Rows.toGate(gate)
        } satisfies Stored
      })

    return WorkflowStore.of({
      create: Effect.fn("WorkflowStore.create")(({ gate, version, workflow }, accept) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const at = yield* Clock.currentTimeMillis
            yield* sql`insert into workflows ${sql.insert(Rows.fromWorkflow(workflow))}`
            const sizes = yield* insertVersion(version)
            yield* Effect.fromResult(accept(sizes))
            yield* sql`insert into gates ${sql.insert({
              workflow_id: workflow.id,
              workspace_id: workflow.workspaceId,
              ...Rows.fromGate(gate, at)
            })}`
          })
        )
      ),
      save: Effect.fn("WorkflowStore.save")((workspaceId, id, decide, accept) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* PgGateStore.lock(sql, workspaceId, id)
            const before = yield* latest(workspaceId, id, null)
            const at = yield* Clock.currentTimeMillis
            const after = yield* Effect.fromResult(decide(before, at))
            const sizes = yield* insertVersion(after.version)
            yield* Effect.fromResult(accept(sizes))
            const { description, name, updated_at } = Rows.fromWorkflow(after.workflow)
            yield* sql`update workflows set ${sql.update({ description, name, updated_at })} where id = ${id}`
            if (after.gate !== before.gate)
              yield* PgGateStore.write(sql, id, { before: before.gate, after: after.gate }, at)
            return after
          })
        )
      ),
      get: Effect.fn("WorkflowStore.get")((workspaceId, id) => withoutSqlErrors(latest(workspaceId, id, null))),
      version: Effect.fn("WorkflowStore.version")((workspaceId, id, versionNumber) =>
        withoutSqlErrors(latest(workspaceId, id, versionNumber))
      ),
      list: Effect.fn("WorkflowStore.list")((workspaceId) =>
        sql<Rows.WorkflowRow>`
          select * from workflows where workspace_id = ${workspaceId} order by updated_at desc, id`.pipe(
          Effect.map((rows) => rows.map(Rows.toWorkflow)),
          withoutSqlErrors
        )
      ),
      versions: Effect.fn("WorkflowStore.versions")((workspaceId, id) =>
        sql<Pick<Rows.VersionRow, "version_id" | "version_number" | "created_at" | "created_by" | "version_note">>`
          select version_id, version_number, version.created_at, version.created_by, version_note
          from workflow_versions version join workflows on workflows.id = version.workflow_id
          where workflow_id = ${id} and workspace_id = ${workspaceId} order by version_number desc`.pipe(
          Effect.flatMap((rows) =>
            rows.length === 0
              ? Effect.fail(new WorkflowNotFound({ workflowId: id }))
              : Effect.succeed(
                  rows.map((row) => ({
                    versionId: row.version_id as Stored["version"]["versionId"],
                    versionNumber: row.version_number,
                    createdAt: row.created_at.getTime(),
                    createdBy: UserId.make(row.created_by),
                    versionNote: row.version_note
                  }))
                )
          ),
          withoutSqlErrors
        )
      )
    })
  })
)
