/**
 * The store of the decisions of models, by run.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId } from "../../workspace/Ids.ts"
import type { Decision } from "./Decision.ts"

/** Maximum number of stored decisions of one run, over all its attempts. */
export const mostDecisions = 500

export class DecisionStore extends Context.Service<
  DecisionStore,
  {
    /** Keeps a decision behind those before it. Beyond the bound it keeps nothing. */
    readonly keep: (runId: RunId, decision: Decision) => Effect.Effect<void, StoreUnavailable>

    /** The decisions of a run, in the order in which they were kept. */
    readonly of: (runId: RunId) => Effect.Effect<ReadonlyArray<Decision>, StoreUnavailable>

    /**
     * Removes at most `limit` decisions that were made before an instant, or in runs of deleted workflows, and answers how
     * many it removed.
     */
    readonly expire: (before: number, limit: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/run/evidence/DecisionStore") {}
