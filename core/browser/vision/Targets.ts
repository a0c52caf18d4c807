/**
 * What a person can point at in the viewport of a page: elements to act on and texts to read, with their selectors.
 */
import { Schema } from "effect"

/** A selector of an element, and how many elements of its document it matches. */
export const Way = Schema.Struct({ selector: Schema.String, matches: Schema.Int })
export type Way = typeof Way.Type

/** The list that an element is part of: its rows, and the path from a row to the element. */
export const Row = Schema.Struct({ selector: Schema.String, matches: Schema.Int, path: Schema.String })

/** A part of the viewport, in CSS pixels from its upper left corner. */
const Area = Schema.Struct({
  x: Schema.Finite,
  y: Schema.Finite,
  width: Schema.Finite,
  height: Schema.Finite
})

export const Target = Schema.Struct({
  /** What is done with it: it is pressed, typed into, chosen from or read. */
  kind: Schema.Literals(["press", "type", "choose", "read"]),
  role: Schema.String,
  /** The accessible name, or the text. It comes from the page unchanged and is untrusted. */
  name: Schema.String,
  /** Whether it is a field whose value is not shown. */
  secret: Schema.Boolean,
  /** Whether it takes a one-time code. Of several boxes for a character each, the first stands for all. */
  code: Schema.Boolean,
  /** The texts of the options of a list. */
  options: Schema.Array(Schema.String),
  /** The part of it that is in the viewport. */
  box: Area,
  /** Its selectors, the best one first. */
  selectors: Schema.Array(Way),
  row: Schema.NullOr(Row),
  /** The heading of its column in a table. */
  heading: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PageTarget" })
export type Target = typeof Target.Type

export const Targets = Schema.Struct({
  title: Schema.String,
  width: Schema.Int,
  height: Schema.Int,
  elements: Schema.Array(Target)
})
export type Targets = typeof Targets.Type
