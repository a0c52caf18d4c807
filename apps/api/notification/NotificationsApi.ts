/** The endpoints of notifications. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Channel, NoticeKind } from "../../../core/event/notification/Notifications.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const kinds = Schema.Array(NoticeKind).check(Schema.isMinLength(1))

/** Exactly one of the two: the whole workspace, or some of its workflows. */
const about = {
  workspace_id: optional(Schema.String),
  workflow_ids: optional(Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(100)))
}

const oneOfThem = Schema.makeFilter(
  (body: {
    readonly workspace_id?: string | null | undefined
    readonly workflow_ids?: ReadonlyArray<string> | null | undefined
  }) =>
    (body.workspace_id == null) !== (body.workflow_ids == null) ||
    "Expected either workspace_id or workflow_ids, not both"
)

export const SubscriptionRecord = Schema.Struct({
  id: Schema.String,
  workspace_id: Schema.String,
  /** `null` means every workflow of the workspace. */
  workflow_id: Schema.NullOr(Schema.String),
  events: Schema.Array(NoticeKind),
  /** Only the host of an address is returned: the rest may be a secret. */
  channel: Schema.Struct({
    type: Schema.Literals(["log", "slack_webhook", "http"]),
    host: Schema.optionalKey(Schema.String)
  }),
  created_by: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "RunSubscription" })

const path = "/notifications/run-subscriptions"

const group = HttpApiGroup.make("notifications").annotate(
  OpenApi.Description,
  "Subscriptions to notices of runs that start, succeed, fail or are retried"
)

export class NotificationsGroup extends group.add(
  HttpApiEndpoint.get("listRunSubscriptions", path, {
    query: { all: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: Schema.Array(SubscriptionRecord),
    error: Errors.Forbidden
  })
    .annotate(
      OpenApi.Summary,
      "List the subscriptions of the user of the key; with all=true, those of all users of the workspace"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("subscribeToRuns", path, {
    payload: Schema.Struct({ ...about, events: kinds, channel: optional(Channel) })
      .check(oneOfThem)
      .annotate({ identifier: "RunSubscriptionToMake" }),
    success: Schema.Array(SubscriptionRecord).pipe(HttpApiSchema.status(201)),
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Subscribe to events of the runs of the workspace or of some workflows; without a channel, notices go to the log"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.delete("unsubscribeFromRuns", path, {
    payload: Schema.Struct({ ...about, events: optional(kinds) })
      .check(oneOfThem)
      .annotate({ identifier: "RunSubscriptionToEnd" }),
    success: Schema.Struct({ success: Schema.Boolean, changed: Schema.Int }).annotate({
      identifier: "Unsubscribed"
    }),
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Delete the subscriptions of the workspace or of some workflows, for the given events or for all events"
    )
    .annotate(Needs, "manage")
) {}
