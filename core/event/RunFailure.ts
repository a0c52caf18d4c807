/**
 * A failure of a run: what its record, the event of its end and the counts of failures are made from. It contains no
 * secret.
 */
import { Schema } from "effect"

const known = Schema.NullOr(Schema.String)

export const RunFailure = Schema.Struct({
  /** Unique among the failures of all runs. */
  id: Schema.String,
  message: Schema.String,
  /** When it happened, in epoch milliseconds. */
  at: Schema.Finite,
  /** The code of the workspace or of the service; `null` where none applies. */
  code: known,
  /** The address of the page where it happened. */
  address: known,
  /** The node that failed; `null` for a failure outside the graph. */
  node: Schema.NullOr(Schema.Struct({ id: Schema.String, name: Schema.String, action: Schema.String })),
  category: known,
  subType: known,
  /** Its cause, in a sentence about the page rather than the step. */
  description: known,
  /** The original message of the system that reported the cause. */
  original: known,
  /** The name that is proposed for an error code of the workspace, where the workflow has none for the failure. */
  suggestedErrorCode: known,
  /** The model that the step asked (`name` is `null` for the default one), and the question. */
  model: Schema.NullOr(Schema.Struct({ name: known, prompt: Schema.String }))
})
export type RunFailure = typeof RunFailure.Type

/** A failure, without its id and its instant. */
export type Facts = Omit<RunFailure, "id" | "at">

/** A failure of which only these facts are known. All others are `null`. */
export const of = ({ code, message, ...known }: Pick<Facts, "message" | "code"> & Partial<Facts>): Facts => ({
  code,
  message,
  address: null,
  node: null,
  category: null,
  subType: null,
  description: null,
  original: null,
  suggestedErrorCode: null,
  model: null,
  ...known
})
