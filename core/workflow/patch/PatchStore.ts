/** The store of the patches of workflows. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Collection } from "../../workspace/Collection.ts"
import type { WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"
import type * as Patch from "./Patch.ts"

export class PatchStore extends Context.Service<
  PatchStore,
  Collection<Patch.Patch> & {
    /** The patches of a workflow, in the order in which they were first offered. */
    readonly ofWorkflow: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId
    ) => Effect.Effect<ReadonlyArray<Patch.Patch>, StoreUnavailable>
  }
>()("sluice/core/workflow/patch/PatchStore") {}
