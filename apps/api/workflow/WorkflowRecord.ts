/**
 * Workflows as the interface answers them.
 */
import { Schema } from "effect"
import { RunWindow } from "../../../core/window/RunWindow.ts"

const summary = {
  id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  updated_at: Schema.String,
  workspace_id: Schema.String,
  created_by: Schema.String
}

/** A workflow without its versions. */
export const WorkflowSummary = Schema.Struct(summary).annotate({ identifier: "WorkflowSummary" })

/** A workflow with one of its versions. Its optional settings stand beside the fields named here. */
export const WorkflowRecord = Schema.StructWithRest(
  Schema.Struct({
    ...summary,
    version_id: Schema.String,
    version_number: Schema.Int,
    version_note: Schema.optionalKey(Schema.String),
    nodes: Schema.Array(Schema.JsonObject),
    edges: Schema.JsonObject,
    input_schema: Schema.JsonObject,
    output_schema: Schema.JsonObject,
    vault_schema: Schema.JsonObject,
    max_retries: Schema.Int,
    run_window: Schema.NullOr(RunWindow)
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({ identifier: "Workflow" })
