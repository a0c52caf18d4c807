/**
 * How much of the model one run may use.
 */
import { Context } from "effect"
import { inBrackets, type Names } from "../../runtime/SettingNames.ts"
import { StepFailed } from "../Failure.ts"
import type { Usage } from "./Model.ts"

/** The bounds of one run, all its steps and their recovery together. */
export interface Budget {
  readonly calls: number
  /** Of questions and answers together. */
  readonly tokens: number
  /** Of waiting for answers. */
  readonly millis: number
  /** The names of the settings of the model and of these bounds, for messages. */
  readonly names?: Names
}

export const defaultBudget: Budget = { calls: 200, tokens: 1_000_000, millis: 15 * 60_000 }

/** The bounds of each run of this installation. */
export const ModelBudget: Context.Reference<Budget> = Context.Reference("sluice/core/agent/model/ModelBudget", {
  defaultValue: () => defaultBudget
})

/** The usage of a run. */
export interface ModelUsage {
  readonly calls: number
  readonly tokens: number
  readonly millis: number
}

export const nothing: ModelUsage = { calls: 0, tokens: 0, millis: 0 }

/** The usage after one more answer. */
export const after = (spent: ModelUsage, { inputTokens, outputTokens }: Usage, millis: number): ModelUsage => ({
  calls: spent.calls + 1,
  tokens: spent.tokens + inputTokens + outputTokens,
  millis: spent.millis + millis
})

/** The failure of a further question; `null` while no limit is reached. */
export const exceeded = (budget: Budget, spent: ModelUsage): StepFailed | null => {
  if (spent.calls >= budget.calls) {
    return over(
      `${budget.calls} questions to the model, the most that a run may ask${inBrackets(budget.names, "modelCalls")}`
    )
  }
  if (spent.tokens >= budget.tokens) {
    return over(`${spent.tokens} tokens: a run may use ${budget.tokens}${inBrackets(budget.names, "modelTokens")}`)
  }
  if (spent.millis >= budget.millis) {
    return over(
      `${Math.round(spent.millis / 1_000)} s of waiting for the model: a run may wait ${budget.millis / 1_000} s${inBrackets(budget.names, "modelSeconds")}`
    )
  }
  return null
}

const over = (what: string): StepFailed =>
  new StepFailed({ code: "MODEL-E0004", sentence: `Ended after ${what}`, original: null })
