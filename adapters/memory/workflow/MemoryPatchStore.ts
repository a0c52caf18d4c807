/** The patches of workflows in memory. */
import { Effect, Layer } from "effect"
import { kind } from "../../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../../core/workflow/patch/PatchStore.ts"
import { atomicStore } from "../Atomic.ts"
import * as MemoryCollection from "../MemoryCollection.ts"

export const layer = Layer.effect(
  PatchStore,
  Effect.map(MemoryCollection.make(kind), (collection) =>
    PatchStore.of({
      ...collection,
      ofWorkflow: (workspaceId, id) =>
        Effect.map(collection.list(workspaceId), (all) => all.filter(({ workflowId }) => workflowId === id))
    })
  ).pipe(Effect.map(atomicStore))
)
