/** The appearance of elements, in memory. */
import { Effect, Layer } from "effect"
import { ElementMemory, mostRemembered } from "../../../core/agent/recovery/ElementMemory.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  ElementMemory,
  Effect.map(Tables, ({ elementMemory, gates, workflows }) => {
    const own = (workspaceId: string, workflowId: string) =>
      workflows.get(workflowId)?.workspaceId === workspaceId ? (elementMemory.get(workflowId) ?? []) : []
    return ElementMemory.of({
      of: (workspaceId, workflowId) =>
        Effect.sync(() => own(workspaceId, workflowId).toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1))),
      keep: (workspaceId, workflowId, seen) =>
        Effect.sync(() => {
          if (workflows.get(workflowId)?.workspaceId !== workspaceId) return
          if ((gates.get(workflowId)?.removedAt ?? null) !== null) return
          const all = new Map(own(workspaceId, workflowId).map((one) => [one.nodeId, one]))
          for (const one of seen) {
            if ((all.get(one.nodeId)?.seenAt ?? one.seenAt) <= one.seenAt) all.set(one.nodeId, one)
          }
          const latest = [...all.values()].sort((a, b) => b.seenAt - a.seenAt || (a.nodeId < b.nodeId ? -1 : 1))
          elementMemory.set(workflowId, latest.slice(0, mostRemembered))
        })
    })
  }).pipe(Effect.map(atomicStore))
)
