/** How much a description of a task may spend. */
import { Schema } from "effect"

const atMost = (maximum: number, minimum = 1) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const TaskBudget = Schema.Struct({
  /** Questions to the model. */
  calls: atMost(1_000),
  /** Tokens of its questions and answers together. The last answer may exceed it. */
  tokens: atMost(10_000_000),
  /** Time in its turns, acts included. An act that has begun is ended. */
  seconds: atMost(3_600)
}).annotate({ identifier: "BuilderTaskBudget" })
export type TaskBudget = typeof TaskBudget.Type

export const usual: TaskBudget = { calls: 60, tokens: 400_000, seconds: 600 }
