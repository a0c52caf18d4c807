/**
 * Looking into what models decided in runs, as callers do.
 */
import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, RunNotFound } from "../../workspace/Ids.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import { RunStore } from "../RunStore.ts"
import type { Decision } from "./Decision.ts"
import { DecisionStore, mostDecisions } from "./DecisionStore.ts"

/** The decisions of a run. `full` when as many are kept as may be, so that there may have been more. */
export interface DecisionList {
  readonly decisions: ReadonlyArray<Decision>
  readonly full: boolean
}

export class Decisions extends Context.Service<
  Decisions,
  {
    /** The decisions of models in a run so far, oldest first. */
    readonly of: (caller: Caller, id: RunId) => Effect.Effect<DecisionList, RunNotFound | StoreUnavailable>
  }
>()("sluice/core/run/evidence/Decisions") {
  static readonly layer = Layer.effect(
    Decisions,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const store = yield* DecisionStore
      return Decisions.of({
        of: Effect.fn("Decisions.of")(function* (caller, id) {
          yield* runs.get(caller.workspaceId, id)
          const decisions = yield* store.of(id)
          return { decisions, full: decisions.length >= mostDecisions }
        })
      })
    })
  )
}
