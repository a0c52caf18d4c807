/** Workflows and their versions in PostgreSQL. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Settings from "../../../core/workflow/Settings.ts"
import { NameShared, WorkflowExists } from "../../../core/workflow/Workflow.ts"
import {
  type ListedWorkflow,
  type Page,
  type RunTerms,
  type StoredWorkflow,
  WorkflowStore
} from "../../../core/workflow/WorkflowStore.ts"
import { type WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgGateStore from "../gate/PgGateStore.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Versions from "./Versions.ts"

export const layer = Layer.effect(
  WorkflowStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const latest = (workspaceId: WorkspaceId, id: WorkflowId, versionNumber: number | null) =>
      Versions.read(sql, workspaceId, id, versionNumber)

    const behind = ({ after }: Pick<Page, "after">) =>
      after === null
        ? sql`true`
        : sql`updated_at <= ${new Date(after.updatedAt)}
            and (updated_at < ${new Date(after.updatedAt)} or workflows.id > ${after.id})`

    const listed = (workspaceId: WorkspaceId, name: string | null, page: Page | null = null) =>
      Effect.map(
        sql<Workflows.ListedRow>`
          select workflows.*, latest.settings
          from workflows join gates on gates.workflow_id = workflows.id join lateral (
            select settings from workflow_versions where workflow_id = workflows.id
            order by version_number desc limit 1) latest on true
          where workflows.workspace_id = ${workspaceId} and removed_at is null
            and ${name === null ? sql`true` : sql`name = ${name}`}
            and ${page === null ? sql`true` : behind(page)}
          order by updated_at desc, workflows.id limit ${page?.limit ?? null}`,
        (rows): ReadonlyArray<ListedWorkflow> => rows.map(Workflows.toListed)
      )

    /** Refuses a workflow whose name is used in its folder, and reserves the name until the transaction ends. */
    const claimName = ({ version, workflow }: StoredWorkflow) =>
      Effect.gen(function* () {
        const folder = Settings.folderOf(version.content.settings)
        const place = JSON.stringify([workflow.workspaceId, workflow.name, folder])
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${place}, 0))`
        const [taken, ...others] = (yield* listed(workflow.workspaceId, workflow.name)).flatMap((one) =>
          Settings.folderOf(one.settings) === folder ? [one.workflow.id] : []
        )
        if (taken === undefined) return
        return yield* others.length === 0
          ? new WorkflowExists({ workflowId: taken })
          : new NameShared({ name: workflow.name, workflowIds: [taken, ...others] })
      })

    /** The terms of the latest versions as they were last read, of so many workflows. */
    const recent = new Map<string, { readonly workspaceId: WorkspaceId; readonly terms: RunTerms }>()
    const maxRecent = 500

    const getLatest = (workspaceId: WorkspaceId, id: WorkflowId) =>
      withoutSqlErrors(latest(workspaceId, id, null)).pipe(
        Effect.tap(({ canary, version }) =>
          Effect.sync(() => {
            if (recent.size >= maxRecent) recent.clear()
            const { input_schema, max_retries, vault_schema } = version.content
            const terms = { versionId: version.versionId, content: { input_schema, max_retries, vault_schema }, canary }
            recent.set(id, { workspaceId, terms })
          })
        )
      )

    return WorkflowStore.of({
      create: Effect.fn("WorkflowStore.create")((stored, accept, options) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const { gate, version, workflow } = stored
            if (options?.uniquelyNamed === true) yield* claimName(stored)
            const at = yield* Clock.currentTimeMillis
            const [inserted] = yield* sql`
              insert into workflows ${sql.insert(Workflows.table.encode(workflow))} on conflict (id) do nothing returning id`
            if (inserted === undefined) return yield* new WorkflowExists({ workflowId: workflow.id })
            const sizes = yield* Versions.insert(sql, version)
            yield* Effect.fromResult(accept(sizes))
            yield* sql`insert into gates ${sql.insert(Gates.fromNew(workflow, gate, yield* PgGateStore.computedAt(at)))}`
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
            const sizes = yield* Versions.save(sql, before, after, at)
            yield* Effect.fromResult(accept(sizes))
            return after
          })
        )
      ),
      get: Effect.fn("WorkflowStore.get")(getLatest),
      recentTerms: (workspaceId, id) => {
        const known = recent.get(id)
        return known !== undefined && known.workspaceId === workspaceId
          ? Effect.succeed(known.terms)
          : Effect.map(getLatest(workspaceId, id), ({ canary, version }) => ({ ...version, canary }))
      },
      version: Effect.fn("WorkflowStore.version")((workspaceId, id, versionNumber) =>
        withoutSqlErrors(latest(workspaceId, id, versionNumber))
      ),
      list: Effect.fn("WorkflowStore.list")((workspaceId, page) => withoutSqlErrors(listed(workspaceId, null, page))),
      remove: Effect.fn("WorkflowStore.remove")((workspaceId, id) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const gate = yield* PgGateStore.lock(sql, workspaceId, id)
            const at = yield* Clock.currentTimeMillis
            yield* PgGateStore.write(sql, id, { before: gate, after: Gate.remove(gate, at) }, at)
            yield* sql`delete from patches where workflow_id = ${id}`
            yield* sql`delete from element_memory where workflow_id = ${id}`
          })
        )
      ),
      versions: Effect.fn("WorkflowStore.versions")((workspaceId, id) =>
        sql<Workflows.HistoryRow>`
          select version_id, version_number, version.created_at, version.created_by, version_note
          from workflow_versions version join gates using (workflow_id)
          where workflow_id = ${id} and workspace_id = ${workspaceId} and removed_at is null order by version_number desc`.pipe(
          Effect.flatMap((rows) =>
            rows.length === 0
              ? Effect.fail(new WorkflowNotFound({ workflowId: id }))
              : Effect.succeed(rows.map(Workflows.toHistory))
          ),
          withoutSqlErrors
        )
      )
    })
  })
)
