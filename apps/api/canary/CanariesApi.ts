/** The endpoints of canaries: new versions of workflows that get a share of the runs at first. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { Canary, Terms } from "../../../core/workflow/canary/Canary.ts"
import { Needs } from "../Annotations.ts"
import { optional, workflow } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const counted = Schema.Struct({ succeeded: Schema.Int, failed: Schema.Int })

export const CanaryRecord = Schema.Struct({
  workflow_id: Schema.String,
  /** replaced: another version was saved meanwhile. */
  state: Canary.fields.state,
  ...Terms.fields,
  version_number: Schema.Int,
  base_version_number: Schema.Int,
  started_at: Schema.String,
  started_by: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  /** The user who ended it; null where its runs did. */
  ended_by: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** The ended runs of both versions since it began. Runs that were stopped do not count. */
  evidence: Schema.NullOr(Schema.Struct({ base: counted, candidate: counted })),
  /** The version that has the former content again, where it was stopped. */
  restored_version_number: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Canary" })

const Why = Schema.Struct({ reason: optional(Schema.String.check(TextLength.atMost(500))) })

const ending = {
  params: workflow,
  payload: Why,
  success: CanaryRecord,
  error: [Errors.BadRequest, Errors.Forbidden, Errors.NotFound, Errors.Conflict]
} as const

export class CanariesGroup extends HttpApiGroup.make("canaries")
  .annotate(OpenApi.Description, "Canaries: new versions of workflows that get a share of the runs at first")
  .add(
    HttpApiEndpoint.get("getCanary", "/workflows/:workflow_id/canary", {
      params: workflow,
      success: CanaryRecord,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Read the last canary of a workflow, with the ended runs of both versions")
      .annotate(Needs, "read"),
    HttpApiEndpoint.post("promoteCanary", "/workflows/:workflow_id/canary/promote", ending)
      .annotate(OpenApi.Summary, "End the running canary of a workflow: its version gets all runs from now on")
      .annotate(Needs, "edit"),
    HttpApiEndpoint.post("stopCanary", "/workflows/:workflow_id/canary/stop", ending)
      .annotate(
        OpenApi.Summary,
        "Roll the running canary of a workflow back: the former content is saved as the next version, which the waiting runs of the canary get"
      )
      .annotate(Needs, "edit")
  ) {}
