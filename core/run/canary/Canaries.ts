/** The canaries of workflows: what they show, and ending them by hand and by the verdict on their runs. */
import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Canary } from "../../workflow/canary/Canary.ts"
import type * as CanaryVerdict from "../../workflow/canary/CanaryVerdict.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import type { WorkflowId, WorkflowNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as CanaryEnding from "./CanaryEnding.ts"
import { CanaryStore } from "./CanaryStore.ts"

/** A canary with the ended runs of both versions: as they are, or as they were when it ended. */
export interface CanaryView {
  readonly canary: Canary
  readonly evidence: CanaryVerdict.Evidence | null
}

export class Canaries extends Context.Service<
  Canaries,
  {
    /** The last canary of a workflow. */
    readonly get: (
      caller: Caller,
      id: WorkflowId
    ) => Effect.Effect<CanaryView, WorkflowNotFound | CanaryEnding.CanaryNotFound | StoreUnavailable>

    /** Ends the running canary of a workflow: its version gets all runs, or its content is replaced by the former one. */
    readonly end: (
      caller: Caller,
      id: WorkflowId,
      ending: { readonly to: CanaryEnding.Ending["to"]; readonly reason: string | null }
    ) => Effect.Effect<
      CanaryView,
      WorkflowNotFound | CanaryEnding.CanaryNotFound | CanaryEnding.CanaryEnded | RoleForbids | StoreUnavailable
    >
  }
>()("sluice/core/run/canary/Canaries") {
  static readonly layer = Layer.effect(
    Canaries,
    Effect.gen(function* () {
      const workflows = yield* WorkflowStore
      const canaries = yield* CanaryStore
      const end = yield* CanaryEnding.make

      const find = Effect.fnUntraced(function* (caller: Caller, workflowId: WorkflowId) {
        const { canary } = yield* workflows.get(caller.workspaceId, workflowId)
        return canary ?? (yield* new CanaryEnding.CanaryNotFound({ workflowId }))
      })

      return Canaries.of({
        get: Effect.fn("Canaries.get")(function* (caller, id) {
          const canary = yield* find(caller, id)
          if (canary.end !== null) return { canary, evidence: canary.end.evidence }
          const { evidence } = yield* canaries.evidence(id, canary)
          return { canary, evidence }
        }),
        end: Effect.fn("Canaries.end")(function* (caller, id, { reason, to }) {
          const canary = yield* end(caller, id, yield* find(caller, id), {
            to,
            reason: reason ?? `A user ${words[to]} it`
          })
          return { canary, evidence: canary.end?.evidence ?? null }
        })
      })
    }).pipe(Permissions.checked<Canaries["Service"]>({ get: "read", end: "edit" }))
  )
}

const words = { promoted: "promoted", stopped: "stopped" } as const
