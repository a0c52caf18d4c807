/** The store's part of removing parts of runs that are kept for a shorter time than the runs. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkspaceId } from "../../workspace/Ids.ts"
import type { Kind } from "../../workspace/retention/RetentionDays.ts"

/** A kind that is a part of runs. */
export type Part = Exclude<Kind, "runs">

export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /**
     * At most `limit` runs of a workspace that ended before an instant, after the one that `passed` names for this part:
     * in the order of their ends. For `events`, none from the first run on with an event that a consumer has not read.
     */
    readonly expired: (
      workspaceId: WorkspaceId,
      part: Part,
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RunId>, StoreUnavailable>

    /**
     * Removes a part of ended runs, and answers how many rows it was. Pending deliveries stay, and the events of runs that
     * have one. Of artifacts it removes the snapshots and network logs: the artifacts have their own store.
     */
    readonly remove: (part: Part, ids: ReadonlyArray<RunId>) => Effect.Effect<number, StoreUnavailable>

    /** Notes that a part is removed of all runs of the workspace up to this one. */
    readonly passed: (workspaceId: WorkspaceId, part: Part, last: RunId) => Effect.Effect<void, StoreUnavailable>

    /**
     * How many runs of a workspace that ended before an instant, and whose events were not passed, have an event that a
     * consumer has not read; at most `limit`.
     */
    readonly unread: (
      workspaceId: WorkspaceId,
      before: number,
      limit: number
    ) => Effect.Effect<number, StoreUnavailable>

    /**
     * How many things of a kind belong to runs of a workspace that ended before an instant and were not passed, or are
     * themselves from before `older`; `null`: of any age. Runs and events that a consumer has not read are not counted.
     * Takes as long as there are such runs.
     */
    readonly count: (
      workspaceId: WorkspaceId,
      kind: Kind,
      before: number,
      older: number | null
    ) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/run/retention/RetentionStore") {}
