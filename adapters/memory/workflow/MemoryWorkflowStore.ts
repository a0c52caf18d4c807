/** Workflows and their versions in memory. Sizes are those of the JSON text: nothing is compressed here. */
import { Clock, Effect, Layer } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { folderOf } from "../../../core/workflow/Settings.ts"
import { NameShared, WorkflowExists, type WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import { type ListedWorkflow, type StoredWorkflow, WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import { type WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { changeGate, gateIn, keepVersion, Tables } from "../Tables.ts"

export const layer = Layer.effect(
  WorkflowStore,
  Effect.gen(function* () {
    const tables = yield* Tables

    const find = Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      id: WorkflowId,
      choose: (versions: ReadonlyArray<WorkflowVersion>) => WorkflowVersion | undefined
    ) {
      const workflow = tables.workflows.get(id)
      const gate = gateIn(tables, workspaceId, id)
      const version = choose(tables.versions.get(id) ?? [])
      if (workflow === undefined || gate === undefined || version === undefined) {
        return yield* new WorkflowNotFound({ workflowId: id })
      }
      return { workflow, version, gate, canary: tables.canaries.get(id) ?? null } satisfies StoredWorkflow
    })

    const latest = (workspaceId: WorkspaceId, id: WorkflowId) => find(workspaceId, id, (versions) => versions.at(-1))

    const listed = (workspaceId: WorkspaceId): ReadonlyArray<ListedWorkflow> =>
      [...tables.workflows.values()]
        .filter((workflow) => gateIn(tables, workspaceId, workflow.id) !== undefined)
        .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
        .map((workflow) => ({ workflow, settings: tables.versions.get(workflow.id)?.at(-1)?.content.settings ?? {} }))

    const keep = ({ canary, gate, version, workflow }: StoredWorkflow, at: number) => {
      tables.workflows.set(workflow.id, workflow)
      keepVersion(tables, version, canary, at)
      changeGate(tables, workflow.id, gate, at)
    }

    return WorkflowStore.of({
      create: Effect.fn("WorkflowStore.create")(function* (stored, accept, options) {
        if (tables.workflows.has(stored.workflow.id)) {
          return yield* new WorkflowExists({ workflowId: stored.workflow.id })
        }
        const { name, workspaceId } = stored.workflow
        const [taken, ...others] = (options?.uniquelyNamed === true ? listed(workspaceId) : []).flatMap(
          ({ settings, workflow }) =>
            workflow.name === name && folderOf(settings) === folderOf(stored.version.content.settings)
              ? [workflow.id]
              : []
        )
        if (taken !== undefined) {
          return yield* others.length === 0
            ? new WorkflowExists({ workflowId: taken })
            : new NameShared({ name, workflowIds: [taken, ...others] })
        }
        yield* Effect.fromResult(accept(FieldLimit.rawSizes(stored.version.content)))
        keep(stored, stored.workflow.createdAt)
      }),
      save: Effect.fn("WorkflowStore.save")(function* (workspaceId, id, decide, accept) {
        const at = yield* Clock.currentTimeMillis
        const after = yield* Effect.fromResult(decide(yield* latest(workspaceId, id), at))
        yield* Effect.fromResult(accept(FieldLimit.rawSizes(after.version.content)))
        keep(after, at)
        return after
      }),
      get: Effect.fn("WorkflowStore.get")(latest),
      recentTerms: (workspaceId, id) =>
        Effect.map(latest(workspaceId, id), ({ canary, version }) => ({ ...version, canary })),
      version: Effect.fn("WorkflowStore.version")((workspaceId, id, versionNumber) =>
        find(workspaceId, id, (versions) => versions.find((version) => version.versionNumber === versionNumber))
      ),
      list: Effect.fn("WorkflowStore.list")((workspaceId, page) =>
        Effect.sync(() => {
          const after = page?.after ?? null
          const isBehind = ({ workflow: { id, updatedAt } }: ListedWorkflow) =>
            after === null || updatedAt < after.updatedAt || (updatedAt === after.updatedAt && id > after.id)
          return listed(workspaceId).filter(isBehind).slice(0, page?.limit)
        })
      ),
      remove: Effect.fn("WorkflowStore.remove")(function* (workspaceId, id) {
        const at = yield* Clock.currentTimeMillis
        const { gate } = yield* latest(workspaceId, id)
        changeGate(tables, id, Gate.remove(gate, at), at)
        tables.elementMemory.delete(id)
        const patches = tables.collections.get("patches")
        for (const [key, { value }] of patches ?? []) {
          if ("workflowId" in value && value.workflowId === id) patches?.delete(key)
        }
      }),
      versions: Effect.fn("WorkflowStore.versions")((workspaceId, id) =>
        Effect.map(latest(workspaceId, id), () => [...(tables.versions.get(id) ?? [])].reverse())
      )
    })
  }).pipe(Effect.map(atomicStore))
)
