/** The endpoints of what runs leave behind: snapshots of pages, network logs, and the failures of a workflow. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NetworkEvent } from "../../../core/browser/NetworkEventJson.ts"
import { Needs } from "../Annotations.ts"
import { session, workflow } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"
import { Screenshot } from "../run/RunRecord.ts"

const DebugSnapshot = Schema.Struct({
  ...session,
  node_id: Schema.String,
  /** The page as the node began, as one HTML document that runs nothing; `null` where the run kept none. */
  page_snapshot_url: Schema.NullOr(Schema.String),
  screenshots: Schema.Array(Screenshot)
}).annotate({ identifier: "DebugSnapshot" })

const NetworkLog = Schema.Struct({
  ...session,
  /** The run has ended, and everything that its pages asked for is in its log. */
  complete: Schema.Boolean,
  /** Something was left out of the log: over its bounds, or lost with a worker. */
  truncated: Schema.Boolean,
  /** By the instant at which they began. */
  events: Schema.Array(NetworkEvent),
  /** Why there is nothing to be seen, where the run was not recorded. */
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "NetworkLog" })

const nullable = Schema.NullOr(Schema.String)

export const ErrorReport = Schema.Struct({
  workflow_id: Schema.String,
  timeframe: Schema.Struct({ start: Schema.String, end: Schema.String }),
  /** All failures within the time frame, shown below or not. */
  total_errors: Schema.Int,
  error_groups: Schema.Record(
    Schema.String,
    Schema.Struct({
      /** All failures with this code within the time frame. */
      count: Schema.Int,
      /** The newest of them, up to the limit. */
      errors: Schema.Array(
        Schema.Struct({
          session_id: Schema.String,
          error_id: Schema.String,
          created_at: Schema.String,
          error_code: nullable,
          error_category: nullable,
          message: Schema.String,
          error_description: Schema.String,
          error_details: nullable
        })
      )
    })
  )
}).annotate({ identifier: "ErrorReport" })

const frame = {
  start_timestamp: Schema.String,
  end_timestamp: Schema.String,
  limit: Schema.optionalKey(Schema.String)
}

export class EvidenceGroup extends HttpApiGroup.make("evidence")
  .annotate(
    OpenApi.Description,
    "Errors, network requests and snapshots that runs record, to find the cause of a failure"
  )
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .add(
    HttpApiEndpoint.get("debugSnapshot", "/run/:session_id/debug-snapshots/:node_id", {
      params: { ...session, node_id: Schema.String },
      success: DebugSnapshot,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Read the snapshot of the page taken when a node of a debugged run started or failed")
      .annotate(Needs, "read"),
    HttpApiEndpoint.get("network", "/run/:session_id/network", {
      params: session,
      query: { include_noise: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])) },
      success: NetworkLog,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(OpenApi.Summary, "List the network requests that the pages of a run made")
      .annotate(Needs, "read"),
    HttpApiEndpoint.get("errors", "/runs/workflow/:workflow_id/errors", {
      params: workflow,
      query: frame,
      success: ErrorReport,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(OpenApi.Summary, "List the errors of the runs of a workflow in a period, grouped")
      .annotate(Needs, "read"),
    HttpApiEndpoint.get("reportedErrors", "/reporting/errors", {
      query: { ...workflow, ...frame },
      success: ErrorReport,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(
        OpenApi.Summary,
        "List the errors of the runs of a workflow in a period, grouped, in the form of older clients"
      )
      .annotate(Needs, "read")
  ) {}
