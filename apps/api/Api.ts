/**
 * The HTTP interface as a value: its endpoints, what they take and what they answer. It holds no server code, so that
 * clients can import it.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as RunWindow from "../../core/window/RunWindow.ts"
import { Authorization } from "./Authorization.ts"
import * as Errors from "./Errors.ts"
import { HoldJson, RunListItem, RunRecord } from "./RunRecord.ts"
import { SchemaErrors } from "./SchemaErrors.ts"

const workflow = { workflow_id: Schema.String }
const session = { session_id: Schema.String }
const Json = Schema.Json.annotate({ description: "Checked as a whole; every problem is reported at its path" })
const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

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

export const RunWindowResponse = Schema.Struct({
  run_window: Schema.NullOr(RunWindow.RunWindow),
  state: Schema.NullOr(RunWindow.RunWindowStateJson),
  warnings: Schema.optionalKey(Schema.Array(RunWindow.RunWindowIssue))
}).annotate({ identifier: "RunWindowResponse" })

const PreviewResponse = Schema.Struct({
  warnings: Schema.Array(RunWindow.RunWindowIssue),
  state: RunWindow.RunWindowStateJson,
  openings: Schema.Array(
    Schema.Struct({
      opens_at: Schema.String,
      closes_at: Schema.NullOr(Schema.String),
      decided_by: Schema.Array(Schema.Struct({ path: Schema.String, label: Schema.NullOr(Schema.String) }))
    })
  ),
  releases: Schema.Int,
  holds: Schema.Int
}).annotate({ identifier: "RunWindowPreview" })

const RunRequest = Schema.Struct({
  workflow_id: Schema.String,
  run_input_variables: optional(Schema.JsonObject),
  dry_run: optional(Schema.Struct({ enabled: optional(Schema.Boolean), add_to_output: optional(Schema.Json) })),
  client_id: optional(Schema.String.check(Schema.isUUID())),
  debug: optional(Schema.Boolean),
  webhook: optional(Schema.JsonObject),
  additional_context: optional(Schema.JsonObject),
  notifications: optional(Schema.JsonObject)
}).annotate({ identifier: "RunRequest", parseOptions: { errors: "all" } })

const edits = [Errors.BadRequest, Errors.Forbidden, Errors.NotFound] as const

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

export class GatesGroup extends HttpApiGroup.make("run windows").add(
  HttpApiEndpoint.get("getRunWindow", "/workflows/:workflow_id/run-window", {
    params: workflow,
    success: RunWindowResponse,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.put("setRunWindow", "/workflows/:workflow_id/run-window", {
    params: workflow,
    payload: Json,
    success: RunWindowResponse,
    error: edits
  }),
  HttpApiEndpoint.delete("removeRunWindow", "/workflows/:workflow_id/run-window", {
    params: workflow,
    success: RunWindowResponse,
    error: [Errors.Forbidden, Errors.NotFound]
  }),
  HttpApiEndpoint.post("previewRunWindow", "/workflows/:workflow_id/run-window/preview", {
    params: workflow,
    query: {
      openings: Schema.optionalKey(
        Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 100 }))
      )
    },
    payload: Json,
    success: PreviewResponse,
    error: [Errors.BadRequest, Errors.NotFound]
  }),
  HttpApiEndpoint.post("pause", "/workflows/:workflow_id/pause", {
    params: workflow,
    payload: Schema.Struct({
      reason: optional(Schema.String.check(Schema.isMaxLength(1_024))),
      until: optional(Schema.String)
    }),
    success: Schema.Struct({ success: Schema.Boolean, holds: Schema.Array(HoldJson) }),
    error: edits
  }),
  HttpApiEndpoint.post("unpause", "/runs/unpause", {
    payload: Schema.Struct({
      pause_resource: Schema.Literals(["run_window", "workflow"]),
      resource_ids: Schema.Array(Schema.String).check(Schema.isMaxLength(1_000))
    }).annotate({ parseOptions: { errors: "all" } }),
    success: Schema.Struct({
      success: Schema.Boolean,
      resumedRuns: Schema.Int,
      skippedResourceGroups: Schema.Array(Schema.String),
      errors: Schema.Array(Schema.String)
    }),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
) {}

const texts = Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))

/** Filters of the list, checked by its handler, which names the parameter that is wrong. */
export const RunFilter = {
  workflow_id: Schema.optionalKey(Schema.String),
  workflow_ids: texts,
  "workflow_ids[]": texts,
  status: Schema.optionalKey(Schema.String),
  statuses: texts,
  "statuses[]": texts,
  limit: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  start_time: Schema.optionalKey(Schema.String),
  end_time: Schema.optionalKey(Schema.String)
}

export class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.post("start", "/run", {
    payload: RunRequest,
    success: Schema.Struct(session).pipe(HttpApiSchema.status(201)),
    error: edits
  }),
  HttpApiEndpoint.get("record", "/run/:session_id", { params: session, success: RunRecord, error: Errors.NotFound }),
  HttpApiEndpoint.post("interrupt", "/run/:session_id/interrupt", {
    params: session,
    success: Schema.Struct({ success: Schema.Boolean, message: Schema.String }),
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  }),
  HttpApiEndpoint.get("listRuns", "/runs", {
    query: RunFilter,
    success: Schema.Array(RunListItem),
    error: Errors.BadRequest
  })
) {}

/** The whole interface that needs a key. */
export class Api extends HttpApi.make("sluice")
  .add(WorkflowsGroup)
  .add(GatesGroup)
  .add(RunsGroup)
  .middleware(Authorization)
  .middleware(SchemaErrors)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sluice",
      version: "1.0.0",
      description: "Runs browser-automation workflows, and starts them only at the hours when they may run"
    })
  ) {}
