/**
 * The record of a question to a model and its result.
 */
import { Schema } from "effect"

const nullable = Schema.NullOr(Schema.String)

/** One question to the model and its result, with all secrets hidden. */
export const Decision = Schema.Struct({
  node_id: Schema.String,
  node_display_name: Schema.String,
  action_type: Schema.String,
  /** What the model was asked for: an element, data, a verdict, a move, or one of several candidates. */
  purpose: Schema.Literals(["choose", "read", "judge", "move", "locate"]),
  /** The model that answered, or that was asked without an answer; `null` for the default model that never answered. */
  llm_model: nullable,
  /** What was asked, cut when it is long. */
  prompt: Schema.String,
  /** Whether a picture of the page went with it. */
  with_screenshot: Schema.Boolean,
  /** What the model answered, cut when it is long; `null` when it did not. */
  answer: nullable,
  /** What was made of the answer; `null` when it was refused. */
  decision: nullable,
  /** Why the answer was refused, or none came; `null` when it was taken. */
  refusal: nullable,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  duration_ms: Schema.Int,
  created_at: Schema.String
}).annotate({ identifier: "ModelDecision" })
export type Decision = typeof Decision.Type

/** Maximum stored length of a prompt and of an answer, in characters. */
export const maxPrompt = 8_000
export const maxAnswer = 4_000
