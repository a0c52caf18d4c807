/** The endpoints of workflows and their versions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Errors from "../request/Errors.ts"
import { edits, json, workflow } from "../request/Fields.ts"

const Json = json.annotate({ description: "Checked as a whole; every problem is reported at its path" })

/** A workflow with one of its versions. Optional settings stand beside the fields named here. */
const Workflow = Schema.JsonObject.annotate({ identifier: "Workflow" })

const WorkflowItem = Schema.JsonObject.annotate({ identifier: "WorkflowSummary" })

const VersionSummary = Schema.Struct({
  version_id: Schema.String,
  version_number: Schema.Int,
  created_at: Schema.String,
  version_note: Schema.optionalKey(Schema.String),
  created_by: Schema.String
}).annotate({ identifier: "WorkflowVersionSummary" })

const Metadata = Schema.Struct({
  input_schema: Schema.JsonObject,
  workspace_id: Schema.String,
  vault_schema: Schema.JsonObject
}).annotate({ identifier: "WorkflowMetadata" })

export class WorkflowsGroup extends HttpApiGroup.make("workflows").add(
  HttpApiEndpoint.post("create", "/workflows", {
    payload: Json,
    success: Workflow.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  }),
  HttpApiEndpoint.get("list", "/workflows", { success: Schema.Array(WorkflowItem) }),
  HttpApiEndpoint.get("get", "/workflows/:workflow_id", {
    params: workflow,
    success: Workflow,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.put("save", "/workflows/:workflow_id", {
    params: workflow,
    payload: Json,
    success: Workflow,
    error: [...edits, Errors.Conflict]
  }),
  HttpApiEndpoint.get("versions", "/workflows/:workflow_id/versions", {
    params: workflow,
    success: Schema.Array(VersionSummary),
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("version", "/workflows/:workflow_id/versions/:version_number", {
    params: { ...workflow, version_number: Schema.String },
    success: Workflow,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("metadata", "/workflows/:workflow_id/metadata", {
    params: workflow,
    success: Metadata,
    error: Errors.NotFound
  })
) {}
