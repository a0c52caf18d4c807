/**
 * How much one run has used of the model, and the listener for its decisions.
 */
import { Context, Effect, Ref, type Schema } from "effect"
import type { Decision } from "../../run/evidence/Decision.ts"
import { type Budget, ModelBudget, type ModelUsage, nothing } from "./Budget.ts"

export interface Use {
  readonly budget: Budget
  readonly spent: Ref.Ref<ModelUsage>
  /** How many steps were done by a plain form, without the calls that the model would have been asked for. */
  readonly saved: Ref.Ref<number>
  readonly record: (decision: Decision) => Effect.Effect<void>
  /** What the client that submitted the run says in addition, for every question; `null` where it says nothing. */
  readonly about: Schema.Json
}

/** The use of a run that begins now. */
export const make = (budget: Budget, record: Use["record"], about: Schema.Json = null): Use => ({
  budget,
  spent: Ref.makeUnsafe(nothing),
  saved: Ref.makeUnsafe(0),
  record,
  about
})

/** The usage of the execution in progress. Without one, each question has a separate budget. */
export const ModelUse: Context.Reference<Use | null> = Context.Reference("sluice/core/agent/model/ModelUse", {
  defaultValue: (): Use | null => null
})

/** The usage in progress. */
export const current: Effect.Effect<Use> = Effect.gen(function* () {
  return (yield* ModelUse) ?? make(yield* ModelBudget, () => Effect.void)
})
