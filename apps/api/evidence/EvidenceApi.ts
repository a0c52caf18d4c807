/** The endpoints of evidence: snapshots of pages, network logs, and the failures of a workflow. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NetworkEvent } from "../../../core/browser/NetworkEventJson.ts"
import { Needs } from "../Annotations.ts"
import { described, session, workflow } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"
import { Screenshot } from "../run/RunRecord.ts"

const DebugSnapshot = Schema.Struct({
  ...session,
  node_id: Schema.String,
  /** The page at the start of the node, as one HTML document without scripts; `null` without a snapshot. */
  page_snapshot_url: Schema.NullOr(Schema.String),
  screenshots: Schema.Array(Screenshot)
}).annotate({ identifier: "DebugSnapshot" })

const nullable = Schema.NullOr(Schema.String)

const NetworkLog = Schema.Struct({
  ...session,
  /** Whether the run has ended and its log is complete. */
  complete: Schema.Boolean,
  /** Whether entries are missing in the log: beyond its limits, or lost with a worker. */
  truncated: Schema.Boolean,
  /** By the instant at which they began. */
  events: Schema.Array(NetworkEvent),
  /** Why the log is empty, if the run was not recorded. */
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "NetworkLog" })

const ReplayRecordLink = Schema.Struct({
  ...session,
  /** The replay record, as JSON, for one hour; `null` without one. */
  replay_record_url: nullable,
  /** Why there is none. */
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ReplayRecordLink" })

export const ErrorReport = Schema.Struct({
  /** The requested workflow; null for several and for all. */
  workflow_id: nullable,
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
  start_timestamp: described("An instant in ISO 8601; this or start_time is required"),
  end_timestamp: described("An instant in ISO 8601; this or end_time is required"),
  start_time: described("The same as start_timestamp"),
  end_time: described("The same as end_timestamp"),
  error_code: described("Only errors with this code"),
  error_codes: described("Only errors with one of these codes, separated by commas"),
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
    HttpApiEndpoint.get("replayRecord", "/run/:session_id/replay", {
      params: session,
      success: ReplayRecordLink,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Find the replay record of a run, from which it can be run again without its site")
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
      query: {
        workflow_id: described("Only errors of runs of this workflow, or of these, separated by commas"),
        ...frame
      },
      success: ErrorReport,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(OpenApi.Summary, "List the errors of the runs of a period, grouped, of all workflows or of some")
      .annotate(Needs, "read")
  ) {}
