/**
 * The record of a question to a model and its result.
 */
import { Schema } from "effect"

/** What the model is asked for: an element, data, a verdict, a move, or one of several candidates. */
export const Purpose = Schema.Literals(["choose", "read", "judge", "move", "locate"])
export type Purpose = typeof Purpose.Type

/** One question to the model and its result, with all secrets hidden. */
export interface Decision {
  readonly node: { readonly id: string; readonly name: string; readonly action: string }
  readonly purpose: Purpose
  /** The model that answered, or that was asked without an answer; `null` for the default model that never answered. */
  readonly model: string | null
  /** What was asked, cut when it is long. */
  readonly prompt: string
  /** Whether a picture of the page went with it. */
  readonly hasPicture: boolean
  /** What the model answered, cut when it is long; `null` when it did not. */
  readonly answer: string | null
  /** What was made of the answer; `null` when it was refused. */
  readonly decision: string | null
  /** Why the answer was refused, or none came; `null` when it was taken. */
  readonly refusal: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  /** How long the answer took. */
  readonly durationMillis: number
  /** When it was asked, in epoch milliseconds. */
  readonly at: number
}

/** Maximum stored length of a prompt and of an answer, in characters. */
export const maxPrompt = 8_000
export const maxAnswer = 4_000
