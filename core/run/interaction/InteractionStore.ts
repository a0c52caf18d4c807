/**
 * The store of the questions of runs, and of their answers until the run has read them.
 */
import { Context, type Effect, type Option, type Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkspaceId } from "../../workspace/Ids.ts"
import type { Interaction } from "./Interaction.ts"

/** A question before and after a change of it. */
export interface InteractionChange {
  readonly before: Interaction
  readonly after: Interaction
}

export class InteractionStore extends Context.Service<
  InteractionStore,
  {
    /**
     * Replaces the question of a run and its answer. A question of an earlier attempt never replaces one of a later
     * attempt: it is dropped.
     */
    readonly put: (interaction: Interaction) => Effect.Effect<void, StoreUnavailable>

    /** The latest question of a run of this workspace. */
    readonly get: (
      workspaceId: WorkspaceId,
      runId: RunId
    ) => Effect.Effect<Option.Option<Interaction>, StoreUnavailable>

    /**
     * Changes the latest question of a run by a decision made while it is locked; none if the run never asked. A
     * decision that fails changes nothing. It must be pure: it may be called again.
     */
    readonly change: <E>(
      runId: RunId,
      decide: (before: Interaction, now: number) => Result.Result<Interaction, E>
    ) => Effect.Effect<Option.Option<InteractionChange>, E | StoreUnavailable>

    /** Closes every question with an answer that expired before `before`, and returns their number. */
    readonly forget: (before: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/run/interaction/InteractionStore") {}
