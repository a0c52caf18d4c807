/** Components and their versions in PostgreSQL. */
import { Clock, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import {
  type ComponentId,
  ComponentNotFound,
  type ComponentVersion
} from "../../../core/workflow/component/Component.ts"
import {
  ComponentStore,
  type ContainingUpdate,
  type Propagation,
  type StoredComponent
} from "../../../core/workflow/component/ComponentStore.ts"
import type { FieldsTooLarge } from "../../../core/workflow/FieldLimit.ts"
import type { StoredSizes } from "../../../core/workflow/WorkflowStore.ts"
import { WorkflowId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Components from "../tables/Components.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Versions from "./Versions.ts"

export const layer = Layer.effect(
  ComponentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = (workspaceId: WorkspaceId, id: ComponentId, lock = sql``) =>
      Effect.gen(function* () {
        const [component] = yield* sql<Components.Row>`
          select * from components where id = ${id} and workspace_id = ${workspaceId} ${lock}`
        const [version] = yield* sql<Components.VersionRow>`
          select * from component_versions where component_id = ${id} order by version_number desc limit 1`
        if (component === undefined || version === undefined) return yield* new ComponentNotFound({ componentId: id })
        return {
          component: Components.toComponent(component),
          version: Components.toVersion(version)
        } satisfies StoredComponent
      })

    const insertVersion = (version: ComponentVersion) =>
      sql`insert into component_versions ${sql.insert(Components.versions.encode(version))}`

    /** Locks the workflows that hold a component, always in the same order, and carries its change into each. */
    const carryOn = (
      workspaceId: WorkspaceId,
      id: ComponentId,
      { except, to }: ContainingUpdate,
      accept: (sizes: StoredSizes) => Result.Result<void, FieldsTooLarge>
    ) =>
      Effect.gen(function* () {
        const holders = yield* sql<{ readonly workflow_id: string }>`
          select gates.workflow_id from gates where workspace_id = ${workspaceId} and removed_at is null
            and workflow_id in (select workflow_id from workflow_components where component_id = ${id})
          order by workflow_id for no key update`
        const at = yield* Clock.currentTimeMillis
        const done = yield* Effect.forEach(
          holders.map((row) => WorkflowId.make(row.workflow_id)).filter((workflowId) => workflowId !== except),
          Effect.fnUntraced(function* (workflowId) {
            const before = yield* Versions.read(sql, workspaceId, workflowId, null)
            const after = yield* Effect.result(to(before, at))
            if (Result.isFailure(after)) return { workflowId, reason: after.failure }
            // A savepoint, so that only a version that is too large is rolled back.
            const kept = yield* Versions.save(sql, before, after.success, at).pipe(
              Effect.flatMap((sizes) => Effect.fromResult(accept(sizes))),
              sql.withTransaction,
              Effect.as(null),
              Effect.catchTag("FieldsTooLarge", Effect.succeed)
            )
            return { workflowId, reason: kept }
          })
        )
        return {
          propagated: done.filter(({ reason }) => reason === null).map(({ workflowId }) => workflowId),
          skipped: done.flatMap(({ reason, workflowId }) => (reason === null ? [] : [{ workflowId, reason }]))
        } satisfies Propagation
      }).pipe(Effect.catchTag("WorkflowNotFound", Effect.die))

    return ComponentStore.of({
      get: Effect.fn("ComponentStore.get")((workspaceId, id) => withoutSqlErrors(find(workspaceId, id))),
      list: Effect.fn("ComponentStore.list")((workspaceId) =>
        sql<Components.Row>`select * from components where workspace_id = ${workspaceId} order by position`.pipe(
          Effect.map((rows) => rows.map(Components.toComponent)),
          withoutSqlErrors
        )
      ),
      versions: Effect.fn("ComponentStore.versions")((workspaceId, id) =>
        sql<Components.VersionRow>`
          select component_versions.* from component_versions join components on components.id = component_id
          where component_id = ${id} and workspace_id = ${workspaceId} order by version_number desc`.pipe(
          Effect.flatMap((rows) =>
            rows.length === 0
              ? Effect.fail(new ComponentNotFound({ componentId: id }))
              : Effect.succeed(rows.map(Components.toVersion))
          ),
          withoutSqlErrors
        )
      ),
      usage: Effect.fn("ComponentStore.usage")((workspaceId, id) =>
        find(workspaceId, id).pipe(
          Effect.andThen(sql<Workflows.Row>`
            select workflows.* from workflow_components join workflows on workflows.id = workflow_id
              join gates using (workflow_id)
            where component_id = ${id} and workflows.workspace_id = ${workspaceId} and removed_at is null
            order by updated_at desc, workflows.id`),
          Effect.map((rows) => rows.map(Workflows.toWorkflow)),
          withoutSqlErrors
        )
      ),
      create: Effect.fn("ComponentStore.create")(({ component, version }) =>
        transaction(
          sql,
          Effect.andThen(
            sql`insert into components ${sql.insert(Components.table.encode(component))}`,
            Effect.asVoid(insertVersion(version))
          )
        )
      ),
      rename: Effect.fn("ComponentStore.rename")((workspaceId, id, name) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const { component, version } = yield* find(workspaceId, id, sql`for update`)
            const updatedAt = yield* Clock.currentTimeMillis
            yield* sql`update components set ${sql.update({ name, updated_at: new Date(updatedAt) })} where id = ${id}`
            return { component: { ...component, name, updatedAt }, version }
          })
        )
      ),
      save: Effect.fn("ComponentStore.save")((workspaceId, id, decide, accept) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const before = yield* find(workspaceId, id, sql`for update`)
            const { after, carry } = decide(before, yield* Clock.currentTimeMillis)
            yield* insertVersion(after.version)
            yield* sql`
              update components set updated_at = ${new Date(after.component.updatedAt)} where id = ${id}`
            const propagation =
              carry === null ? { propagated: [], skipped: [] } : yield* carryOn(workspaceId, id, carry, accept)
            return { ...after, ...propagation }
          })
        )
      ),
      remove: Effect.fn("ComponentStore.remove")((workspaceId, id, carry) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* find(workspaceId, id, sql`for update`)
            const propagation = yield* carryOn(workspaceId, id, { to: carry, except: null }, () => Result.void)
            yield* sql`delete from components where id = ${id}`
            return propagation
          })
        )
      )
    })
  })
)
