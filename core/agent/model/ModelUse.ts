/**
 * How much one run has used of the model, and the listener for its decisions.
 */
import { Context, Effect, Ref, type Schema } from "effect"
import type { Decision } from "../../run/evidence/Decision.ts"
import type { StepFailed } from "../Failure.ts"
import type { Tokens } from "../spending/ModelSpending.ts"
import { type Budget, ModelBudget, type ModelUsage, nothing } from "./Budget.ts"

/** What a call of a model is for, and the most that it may use. */
export interface Intent {
  readonly node: { readonly id: string; readonly name: string }
  readonly purpose: string
  readonly model: string
  readonly most: Tokens
  readonly timeoutMillis: number
}

/** Enters what a call used in the ledger; `null` where no answer told it. */
export type Settle = (used: Tokens | null) => Effect.Effect<void>

export interface Use {
  readonly budget: Budget
  readonly spent: Ref.Ref<ModelUsage>
  /** How many steps were done by a plain form, without the calls that the model would have been asked for. */
  readonly saved: Ref.Ref<number>
  readonly record: (decision: Decision) => Effect.Effect<void>
  /** What the client that submitted the run says in addition, for every question; `null` where it says nothing. */
  readonly about: Schema.Json
  /** Enters a call in the ledger before it is made, and fails with `MODEL-E0004` if a limit of its day is spent. */
  readonly reserve: (intent: Intent) => Effect.Effect<Settle, StepFailed>
}

/** Enters nothing: for calls that belong to no run. */
const unentered: Use["reserve"] = () => Effect.succeed(() => Effect.void)

/** The use of a run that begins now. */
export const make = (
  budget: Budget,
  record: Use["record"],
  about: Schema.Json = null,
  reserve: Use["reserve"] = unentered
): Use => ({
  budget,
  spent: Ref.makeUnsafe(nothing),
  saved: Ref.makeUnsafe(0),
  record,
  about,
  reserve
})

/** The usage of the execution in progress. Without one, each question has a separate budget. */
export const ModelUse: Context.Reference<Use | null> = Context.Reference("sluice/core/agent/model/ModelUse", {
  defaultValue: (): Use | null => null
})

/** The usage in progress. */
export const current: Effect.Effect<Use> = Effect.gen(function* () {
  return (yield* ModelUse) ?? make(yield* ModelBudget, () => Effect.void)
})
