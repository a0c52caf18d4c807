/** The endpoints of workflows and their versions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { bodyIs } from "../Description.ts"
import * as Errors from "../request/Errors.ts"
import { edits, workflow } from "../request/Fields.ts"
import { WorkflowRecord, WorkflowSummary } from "./WorkflowRecord.ts"

const Json = Schema.Json.annotate({ description: "Checked as a whole; every problem is reported at its path" })

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
    success: WorkflowRecord.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  }).annotateMerge(bodyIs("WorkflowToSave")),
  HttpApiEndpoint.get("list", "/workflows", { success: Schema.Array(WorkflowSummary) }),
  HttpApiEndpoint.get("get", "/workflows/:workflow_id", {
    params: workflow,
    success: WorkflowRecord,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.put("save", "/workflows/:workflow_id", {
    params: workflow,
    payload: Json,
    success: WorkflowRecord,
    error: [...edits, Errors.Conflict]
  }).annotateMerge(bodyIs("WorkflowToSave")),
  HttpApiEndpoint.get("versions", "/workflows/:workflow_id/versions", {
    params: workflow,
    success: Schema.Array(VersionSummary),
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("version", "/workflows/:workflow_id/versions/:version_number", {
    params: { ...workflow, version_number: Schema.String },
    success: WorkflowRecord,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("metadata", "/workflows/:workflow_id/metadata", {
    params: workflow,
    success: Metadata,
    error: Errors.NotFound
  })
) {}
