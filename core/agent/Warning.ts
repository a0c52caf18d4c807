/**
 * What a step that succeeded was unsure of. A run keeps its warnings; a workflow with `strict` fails by the first.
 */
import { Schema } from "effect"

/** Every warning of the agent. */
export const Code = Schema.Literals([
  /** A text has several figures, and no number was read; or a sign that can be read in two ways. */
  "FIGURE-W0001",
  /** A text is no truth value, or no date of its format: no value was read. */
  "VALUE-W0001",
  /** A condition compared the first of several elements, and another one would decide otherwise. */
  "CONDITION-W0001",
  /** A list has no rows, and the page may still have been loading them. */
  "LIST-W0001",
  /** Fewer rows were read than the list says it has. */
  "LIST-W0002",
  /** A loop ended where its way to a further page was gone, and the page shows another one. */
  "PAGER-W0001",
  /** Nothing was seen to change on the page after a button or a link was clicked. */
  "EFFECT-W0001",
  /** The page had taken a typed text back before the form was sent, and it was typed again. */
  "FIELD-W0001",
  /** The page had taken a choice back before a button was clicked, and no form says whether that sends it. */
  "FIELD-W0002"
])
export type Code = typeof Code.Type

/** A warning of a step. */
export interface Warning {
  readonly code: Code
  /** What was done, and what is unsure: `Read no number from "5 of 12": it has 2 figures`. */
  readonly sentence: string
  /** The text of the page that it is about; `null` where there is none. */
  readonly value: string | null
}
