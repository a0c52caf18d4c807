/** The endpoints of runs. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Errors from "../request/Errors.ts"
import { edits, optional, session } from "../request/Fields.ts"
import { RunWebhookRequest } from "../webhook/RunWebhookRequest.ts"
import { RunListItem, RunRecord } from "./RunRecord.ts"

const RunRequest = Schema.Struct({
  workflow_id: Schema.String,
  run_input_variables: optional(Schema.JsonObject),
  dry_run: optional(Schema.Struct({ enabled: optional(Schema.Boolean), add_to_output: optional(Schema.Json) })),
  client_id: optional(Schema.String.check(Schema.isUUID())),
  debug: optional(Schema.Boolean),
  webhook: optional(RunWebhookRequest),
  additional_context: optional(Schema.JsonObject),
  notifications: optional(Schema.JsonObject)
}).annotate({ identifier: "RunRequest", parseOptions: { errors: "all" } })

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
