/**
 * A warning of a run: what a step that succeeded was unsure of. It contains no secret.
 */
import { Schema } from "effect"

export const RunWarning = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  /** The node that succeeded with it. */
  node: Schema.Struct({ id: Schema.String, name: Schema.String, action: Schema.String }),
  /** The text of the page that it is about, cut; `null` where there is none. */
  value: Schema.NullOr(Schema.String)
})
export type RunWarning = typeof RunWarning.Type

/** How many warnings a run keeps: its first ones. */
export const mostKept = 100

/** The warnings of an attempt: the first `mostKept` of them, and how many there were. */
export interface RunWarnings {
  readonly kept: ReadonlyArray<RunWarning>
  readonly count: number
}

export const none: RunWarnings = { kept: [], count: 0 }
