/** Workflows and their versions in memory. Sizes are those of the JSON text: nothing is compressed here. */
import { Clock, Effect, Layer } from "effect"
import { type WorkflowId, WorkflowNotFound, type WorkflowVersion } from "../../core/workflow/Workflow.ts"
import { type Stored, type StoredSizes, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceId } from "../../core/workspace/Workspace.ts"
import { changeGate, gateIn, Tables } from "./Tables.ts"

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
      return { workflow, version, gate } satisfies Stored
    })

    const latest = (workspaceId: WorkspaceId, id: WorkflowId) => find(workspaceId, id, (versions) => versions.at(-1))

    const keep = ({ gate, version, workflow }: Stored, at: number) => {
      tables.workflows.set(workflow.id, workflow)
      tables.versions.set(workflow.id, [...(tables.versions.get(workflow.id) ?? []), version])
      changeGate(tables, workflow.id, gate, at)
    }

    return WorkflowStore.of({
      create: Effect.fn("WorkflowStore.create")(function* (stored, accept) {
        yield* Effect.fromResult(accept(sizesOf(stored.version)))
        keep(stored, stored.workflow.createdAt)
      }),
      save: Effect.fn("WorkflowStore.save")(function* (workspaceId, id, decide, accept) {
        const at = yield* Clock.currentTimeMillis
        const after = yield* Effect.fromResult(decide(yield* latest(workspaceId, id), at))
        yield* Effect.fromResult(accept(sizesOf(after.version)))
        keep(after, at)
        return after
      }),
      get: Effect.fn("WorkflowStore.get")(latest),
      version: Effect.fn("WorkflowStore.version")((workspaceId, id, versionNumber) =>
        find(workspaceId, id, (versions) => versions.find((version) => version.versionNumber === versionNumber))
      ),
      list: Effect.fn("WorkflowStore.list")((workspaceId) =>
        Effect.sync(() =>
          [...tables.workflows.values()]
            .filter((workflow) => workflow.workspaceId === workspaceId)
            .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
        )
      ),
      versions: Effect.fn("WorkflowStore.versions")((workspaceId, id) =>
        Effect.map(latest(workspaceId, id), () => [...(tables.versions.get(id) ?? [])].reverse())
      )
    })
  })
)

const sizesOf = ({ content }: WorkflowVersion): StoredSizes => ({
  nodes: sizeOf(content.nodes),
  edges: sizeOf(content.edges),
  input_schema: sizeOf(content.input_schema),
  output_schema: sizeOf(content.output_schema),
  vault_schema: sizeOf(content.vault_schema)
})

const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
