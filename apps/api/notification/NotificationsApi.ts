/** The endpoints of notifications. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Channel, NoticeKind } from "../../../core/event/notification/Notifications.ts"
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

export class NotificationsGroup extends HttpApiGroup.make("notifications").add(
  HttpApiEndpoint.get("listRunSubscriptions", path, {
    query: { all: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: Schema.Array(SubscriptionRecord),
    error: Errors.Forbidden
  }),
  HttpApiEndpoint.post("subscribeToRuns", path, {
    payload: Schema.Struct({ ...about, events: kinds, channel: optional(Channel) })
      .check(oneOfThem)
      .annotate({ identifier: "RunSubscriptionToMake" }),
    success: Schema.Array(SubscriptionRecord).pipe(HttpApiSchema.status(201)),
    error: edits
  }),
  HttpApiEndpoint.delete("unsubscribeFromRuns", path, {
    payload: Schema.Struct({ ...about, events: optional(kinds) })
      .check(oneOfThem)
      .annotate({ identifier: "RunSubscriptionToEnd" }),
    success: Schema.Struct({ success: Schema.Boolean, changed: Schema.Int }).annotate({
      identifier: "Unsubscribed"
    }),
    error: edits
  })
) {}
