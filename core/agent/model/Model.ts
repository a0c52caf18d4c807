/**
 * The port to a language model, in the words of the agent.
 *
 * A `Question` says what the model is for in this step (`instructions`, which never come from a page), what it is about
 * (`parts`: texts and pictures), and in which form it must answer: a call of one of a few tools, or one JSON object.
 * The model takes no action: the caller judges the answer.
 *
 * Steps do not speak to this port themselves. They use the verbs of this folder, which keep secrets out of what is
 * sent, keep the budget of the run, ask again after an unusable answer, and record each decision:
 *
 * - `Choosing.place`: which element of the page, or which point of its picture, a description means;
 * - `Reading.data`: data of a schema, from HTML, a picture or the context;
 * - `Judging.holds`: whether a statement holds;
 * - `Moving.move`: the moves of a person at the page, until a task is done;
 * - `Locating.locate`: which of a few candidates is the element that a lost selector meant, for recovery.
 */
import { Context, type Effect, Schema } from "effect"
import type { Shot } from "../../browser/vision/Shot.ts"

/** Something that the model may ask for. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** A JSON schema of an object. */
  readonly parameters: Schema.JsonObject
}

export type Part = { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "Image"; readonly shot: Shot }

/** The form of the answer: a call of one of the tools, or an object of a schema. */
export type Form =
  | { readonly _tag: "Choice"; readonly tools: ReadonlyArray<Tool> }
  | { readonly _tag: "Object"; readonly name: string; readonly schema: Schema.JsonObject }

export interface Question {
  readonly instructions: string
  readonly parts: ReadonlyArray<Part>
  readonly form: Form
  /** The name of the model; `null` for the usual one, which for pictures may be another. */
  readonly model: string | null
  /** How long the answer may take, further attempts included, in milliseconds. */
  readonly timeoutMillis: number
}

/** The usage of an answer. A service that does not count is answered with an estimate. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The unchecked answer of the model: the names of tools and their parameters may be anything. */
export interface Answer {
  /** The model that answered. */
  readonly model: string
  readonly said:
    | { readonly _tag: "Called"; readonly tool: string; readonly parameters: Schema.Json }
    | { readonly _tag: "Object"; readonly value: Schema.Json }
    /** The answer has another form, or is missing; `reason` says how. */
    | { readonly _tag: "Unusable"; readonly reason: string; readonly text: string }
  readonly usage: Usage
}

/** Raised when no answer could be got. `reason` repeats neither the key nor the question. */
export class ModelFailure extends Schema.TaggedError<ModelFailure>()("ModelFailure", {
  kind: Schema.Literals([
    /** The service could not be reached, or answered with an error for longer than is bearable. */
    "unavailable",
    /** There was no answer in time. */
    "late",
    /** The service will not answer: a wrong key, an unknown model, a request that it does not take. */
    "refused",
    /** The response is not an answer, or too large for one. */
    "malformed"
  ]),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface Service {
  /** The names that a workflow may choose by `llm_model`; the first is the usual one. */
  readonly names: ReadonlyArray<string>
  readonly answer: (question: Question) => Effect.Effect<Answer, ModelFailure>
}

/** The model of this installation; `null` when none is configured. */
export const Model: Context.Reference<Service | null> = Context.Reference("sluice/core/agent/model/Model", {
  defaultValue: (): Service | null => null
})
