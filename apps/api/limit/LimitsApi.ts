/** The endpoints of named limits. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Pace from "../../../core/gate/Pace.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import { Needs } from "../Annotations.ts"
import { edits, instant, optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const params = { limit_id: Schema.String }

const filled = (expected: string) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => text.trim() !== "" || expected),
    TextLength.atMost(256)
  )

const numbers = {
  max_running: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Pace.mostRunning }))).annotate({
    description: "The highest number of runs in progress at once; null for any number"
  }),
  max_starts_per_minute: Schema.NullOr(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Pace.mostStartsPerMinute }))
  ).annotate({ description: "The highest number of starts in any 60 seconds; null for any number" })
}

/** The highest number of workflows, of credentials and of tags that a limit names. */
const mostNamed = 200

const id = Schema.String.check(Schema.isUUID())

const fields = {
  max_running: Schema.optionalKey(numbers.max_running),
  max_starts_per_minute: Schema.optionalKey(numbers.max_starts_per_minute),
  workflow_ids: Schema.optionalKey(Schema.Array(id).check(Schema.isMaxLength(mostNamed))),
  credential_ids: Schema.optionalKey(Schema.Array(id).check(Schema.isMaxLength(mostNamed))),
  tags: Schema.optionalKey(Schema.Array(filled("Expected a tag")).check(Schema.isMaxLength(mostNamed)))
}

const stored = {
  id: Schema.String,
  name: Schema.String,
  ...numbers,
  workflow_ids: Schema.Array(Schema.String),
  credential_ids: Schema.Array(Schema.String),
  tags: Schema.Array(Schema.String),
  pause: Schema.NullOr(Schema.Struct({ since: Schema.String, by: Schema.String, reason: Schema.String })).annotate({
    description: "Since when no run that draws on it starts; null where it is not paused"
  }),
  override: Schema.NullOr(Schema.Struct({ ...numbers, until: Schema.String, by: Schema.String })).annotate({
    description: "The numbers that hold instead until an instant; null for none"
  }),
  created_at: Schema.String,
  created_by: Schema.String,
  updated_at: Schema.String
}

export const LimitRecord = Schema.Struct(stored).annotate({ identifier: "Limit" })

export const UsedLimitRecord = Schema.Struct({
  ...stored,
  running: Schema.Int.annotate({ description: "How many runs that draw on it are in progress" })
}).annotate({ identifier: "UsedLimit" })

const group = HttpApiGroup.make("limits")
  .annotate(OpenApi.Title, "limits")
  .annotate(OpenApi.Description, "Named limits that workflows, credentials and tags share")

export class LimitsGroup extends group.add(
  HttpApiEndpoint.get("listLimits", "/limits", { success: Schema.Array(UsedLimitRecord) })
    .annotate(OpenApi.Summary, "List the named limits of the workspace with their use")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createLimit", "/limits", {
    payload: Schema.Struct({ name: filled("Expected a name"), ...fields }).annotate({ identifier: "LimitRequest" }),
    success: LimitRecord.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Make a limit on the runs of these workflows, credentials and tags together")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("getLimit", "/limits/:limit_id", { params, success: UsedLimitRecord, error: Errors.NotFound })
    .annotate(OpenApi.Summary, "Read a limit with its use")
    .annotate(Needs, "read"),
  HttpApiEndpoint.patch("changeLimit", "/limits/:limit_id", {
    params,
    payload: Schema.Struct({ name: Schema.optionalKey(filled("Expected a name")), ...fields }).annotate({
      identifier: "LimitChange"
    }),
    success: LimitRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Change the given fields of a limit; no running run is stopped")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("removeLimit", "/limits/:limit_id", {
    params,
    success: LimitRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a limit")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("pauseLimit", "/limits/:limit_id/pause", {
    params,
    payload: Schema.Struct({ reason: optional(Schema.String.check(TextLength.atMost(1_024))) }),
    success: LimitRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Pause a limit: no run that draws on it starts until it is resumed")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("resumeLimit", "/limits/:limit_id/resume", {
    params,
    success: LimitRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Resume a paused limit")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.put("overrideLimit", "/limits/:limit_id/override", {
    params,
    payload: Schema.Struct({ ...numbers, until: instant }).annotate({ identifier: "LimitOverride" }),
    success: LimitRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Put other numbers in the place of those of a limit until an instant")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("endLimitOverride", "/limits/:limit_id/override", {
    params,
    success: LimitRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "End the override of a limit")
    .annotate(Needs, "edit")
) {}
