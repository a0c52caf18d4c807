/** What canaries need of the runs of their two versions. */
import { Context, type Effect } from "effect"
import type { RunEventOf } from "../../event/RunEvent.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Canary } from "../../workflow/canary/Canary.ts"
import type { Evidence } from "../../workflow/canary/CanaryVerdict.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"

/** A running canary with its workflow. */
export interface RunningCanary {
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  readonly canary: Canary
}

export class CanaryStore extends Context.Service<
  CanaryStore,
  {
    /** The running canaries of all workspaces, without those of deleted workflows. */
    readonly running: Effect.Effect<ReadonlyArray<RunningCanary>, StoreUnavailable>

    /**
     * How the runs of both versions ended that were submitted since a canary began, and the run of its version that ended
     * last; `null` where none has.
     */
    readonly evidence: (
      workflowId: WorkflowId,
      canary: Canary
    ) => Effect.Effect<{ readonly evidence: Evidence; readonly last: RunId | null }, StoreUnavailable>

    /** Appends an event about a workflow to the log, beside an ended run of it. */
    readonly announce: (event: RunEventOf<"workflow.canary">) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/run/canary/CanaryStore") {}
