/**
 * How certain the effects of an unsuccessful run are, derived from its last progress mark.
 *
 * A run marks the first node that acts on the site, and each node that must not be repeated before and after it. The
 * marks are stored before the run continues, so they survive the loss of any process.
 */
import { Schema } from "effect"

/** The act that a run was about to do, or had done: its node and its instant in epoch milliseconds. */
export const Mark = Schema.Struct({
  kind: Schema.Literals(["acting", "committing", "committed"]),
  node: Schema.Struct({ id: Schema.String, name: Schema.String }),
  at: Schema.Finite
})
export type Mark = typeof Mark.Type

/**
 * `not_started`: it did nothing on the site. `not_committed`: it acted on the site, and began no node that must not be
 * repeated. `committed`: the last such node that it began has succeeded. `unknown`: that node was begun, and whether it
 * took effect was not learned.
 */
export const Certainty = Schema.Literals(["not_started", "not_committed", "committed", "unknown"])
export type Certainty = typeof Certainty.Type

/** The outcome by the marks of a run. `acted` and `committed` are of its last attempt, `mark` is the last of all. */
export const of = ({
  acted,
  committed,
  mark
}: {
  readonly acted: boolean
  readonly committed: boolean
  readonly mark: Mark | null
}): Certainty => {
  if (mark?.kind === "committed") return "committed"
  if (committed || mark?.kind === "committing") return "unknown"
  return acted || mark !== null ? "not_committed" : "not_started"
}
