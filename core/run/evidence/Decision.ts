/**
 * The record of a question to a model and its result.
 */
import { Schema } from "effect"

/** The purpose of the question: an element, data, a verdict, a move, or one of several candidates. */
export const Purpose = Schema.Literals(["choose", "read", "judge", "move", "locate"])
export type Purpose = typeof Purpose.Type

/** One question to the model and its result, with all secrets hidden. */
export const Decision = Schema.Struct({
  node: Schema.Struct({ id: Schema.String, name: Schema.String, action: Schema.String }),
  purpose: Purpose,
  /** The model that answered, or that was asked without an answer; `null` for the default model that never answered. */
  model: Schema.NullOr(Schema.String),
  /** The question, cut when it is long. */
  prompt: Schema.String,
  /** Whether a picture of the page went with it. */
  hasPicture: Schema.Boolean,
  /** The answer of the model, cut when it is long; `null` when it did not. */
  answer: Schema.NullOr(Schema.String),
  /** The result of the answer; `null` when it was refused. */
  decision: Schema.NullOr(Schema.String),
  /** Why the answer was refused, or none came; `null` when it was taken. */
  refusal: Schema.NullOr(Schema.String),
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  /** How long the answer took. */
  durationMillis: Schema.Finite,
  /** When it was asked, in epoch milliseconds. */
  at: Schema.Finite
})
export type Decision = typeof Decision.Type

/** Maximum stored length of a prompt and of an answer, in characters. */
export const maxPrompt = 8_000
export const maxAnswer = 4_000
