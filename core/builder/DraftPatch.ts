/** Changes of several nodes and edges of a draft at once, positions in it, and how a part of it is repeated on pages. */
import { Schema } from "effect"

/** A position between two nodes: after the node `after`, on one of its edges. */
export const Cursor = Schema.Struct({
  after: Schema.String,
  way: Schema.Literals(["to", "true", "false", "loop_not_done", "loop_done"])
}).annotate({ identifier: "BuilderCursor" })
export type Cursor = typeof Cursor.Type

/** Nodes and edges by their ids, in place of those that a draft has; `null` for those that it no longer has. */
export const Patch = Schema.Struct({
  nodes: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.JsonObject))),
  edges: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.JsonObject))),
  cursor: Schema.optionalKey(Cursor)
})
export type Patch = typeof Patch.Type

/** How a step is repeated on further pages. */
export const Paging = Schema.Struct({
  /** The element that leads to the next page. */
  selector: Schema.String,
  /** The first step that is repeated, by its id or name; by default the last step, or the last loop with its reading. */
  from: Schema.optionalKey(Schema.String),
  /** The rows of the list: where all of them stay the same after a click, there is no further page. */
  rows: Schema.optionalKey(Schema.String),
  /** Further rows come below those before: they are all loaded first, and the steps are done once. */
  below: Schema.optionalKey(Schema.Boolean),
  /** The most pages. */
  most: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 10_000 })))
})
export type Paging = typeof Paging.Type
