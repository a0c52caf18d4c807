/** Changes of several nodes and edges of a draft at once, and positions in it. */
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
