/**
 * A task that a model turns into steps of a draft: how much it may spend and has spent, what it waits for, and what it did.
 */
import { Schema } from "effect"
import * as Budget from "../../agent/model/Budget.ts"
import { Candidate } from "../Command.ts"
import { TaskBudget } from "./TaskBudget.ts"

/** An act that waits for the yes of a person. */
export const Awaited = Schema.Struct({
  /** The step that does it; `null` for the further turns of a loop. */
  candidate: Schema.NullOr(Candidate),
  /** What would be done, with the element as the page shows it. */
  act: Schema.String,
  why: Schema.String
}).annotate({ identifier: "BuilderAwaitedAct" })
export type Awaited = typeof Awaited.Type

export const Describing = Schema.Struct({
  task: Schema.String,
  bounds: TaskBudget,
  /** What was spent: questions to the model, their tokens, and the time of its turns in milliseconds. */
  spent: Schema.Struct({ calls: Schema.Int, tokens: Schema.Finite, millis: Schema.Finite }),
  state: Schema.Literals(["working", "waits", "done", "stopped"]),
  awaited: Schema.NullOr(Awaited),
  /** What happened so far, for the model. */
  log: Schema.Array(Schema.String)
}).annotate({ identifier: "BuilderDescribing" })
export type Describing = typeof Describing.Type

export const begin = (task: string, bounds: TaskBudget): Describing => ({
  task,
  bounds,
  spent: Budget.nothing,
  state: "working",
  awaited: null,
  log: []
})

/** The most lines of the log, and the most characters of each. */
const mostLines = 40
const longestLine = 500

/** With a line for the model. The latest lines are kept. */
export const noted = (one: Describing, line: string): Describing => ({
  ...one,
  log: [...one.log, line.slice(0, longestLine)].slice(-mostLines)
})

/** With what was spent since the turn began, in which `millis` have passed. */
export const spending = (
  one: Describing,
  use: { readonly calls: number; readonly tokens: number },
  millis: number
): Describing => ({
  ...one,
  spent: {
    calls: one.spent.calls + use.calls,
    tokens: one.spent.tokens + use.tokens,
    millis: one.spent.millis + millis
  }
})

/** What is left of the bounds, as a budget for questions. */
export const left = ({ bounds, spent }: Describing): Budget.Budget => ({
  calls: Math.max(0, bounds.calls - spent.calls),
  tokens: Math.max(0, bounds.tokens - spent.tokens),
  millis: Math.max(0, bounds.seconds * 1_000 - spent.millis)
})

/** Which bound is reached, as a sentence; `null` while none is. After it, the model is asked nothing and nothing is done. */
export const over = ({ bounds, spent }: Describing): string | null => {
  if (spent.calls >= bounds.calls) return `The budget of ${bounds.calls} calls is spent`
  if (spent.tokens >= bounds.tokens) return `The budget of ${bounds.tokens} tokens is spent (${spent.tokens})`
  if (spent.millis >= bounds.seconds * 1_000) return `The budget of ${bounds.seconds} s is spent`
  return null
}

/** What was spent of what may be, in words. */
export const told = ({ bounds, spent }: Describing): string =>
  `${spent.calls} of ${bounds.calls} calls, ${spent.tokens} of ${bounds.tokens} tokens, ${Math.round(spent.millis / 1_000)} of ${bounds.seconds} s`

/** The description after a turn that was none of it, or that did not settle it: nothing waits any more. */
export const ended = (one: Describing): Describing =>
  one.state === "working" || one.state === "waits" ? { ...one, state: "stopped", awaited: null } : one
