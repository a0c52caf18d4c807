/** The store's part of removing runs with everything of them. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkspaceId } from "../../workspace/Ids.ts"

export class RunRemovalStore extends Context.Service<
  RunRemovalStore,
  {
    /**
     * At most `limit` runs of a workspace that ended before an instant, in the order of their ends. A run with an event
     * that a consumer has not read is not among them.
     */
    readonly ended: (
      workspaceId: WorkspaceId,
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunId>, StoreUnavailable>

    /** The artifacts of these runs. */
    readonly artifactsOf: (ids: ReadonlyArray<RunId>) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>

    /**
     * Removes the rows of these runs and of everything that belongs to them, and answers how many runs they were. Runs
     * that have not ended stay, and those that another process is removing. It waits for no lock of a claim, and no claim
     * waits for it.
     */
    readonly remove: (ids: ReadonlyArray<RunId>) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/run/retention/RunRemovalStore") {}
