/** The endpoints of webhooks and of what was delivered to them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Message } from "../../../core/event/Message.ts"
import { Status } from "../../../core/event/webhook/Delivery.ts"
import { EventTypes } from "../../../core/event/webhook/Subscription.ts"
import { Url, Validity } from "../../../core/event/webhook/Webhook.ts"
import { edits, optional, session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const webhook = { webhook_id: Schema.String }

const instant = Schema.NullOr(Schema.String)

const settings = {
  event_types_subscribed: optional(EventTypes),
  secret: optional(Schema.String.check(Schema.isBetweenLength(8, 1_024))),
  /** For how many seconds after it was sent a receiver may believe a delivery; 300 when left out. */
  validity: optional(Validity),
  active: optional(Schema.Boolean)
}

const endpointFields = {
  id: Schema.String,
  /** `null`: all workflows. */
  workflow_id: Schema.NullOr(Schema.String),
  url: Schema.String,
  /** Empty: every kind. */
  event_types_subscribed: EventTypes,
  validity: Schema.Int,
  active: Schema.Boolean,
  /** Why the service deactivated it. */
  inactive_reason: Schema.NullOr(Schema.String),
  secret_hint: Schema.String,
  created_at: Schema.String,
  created_by: Schema.String,
  updated_at: Schema.String
}

export const WebhookEndpoint = Schema.Struct(endpointFields).annotate({ identifier: "WebhookEndpoint" })

/** The secret is returned only once. */
const CreatedEndpoint = Schema.Struct({ ...endpointFields, secret: Schema.String }).annotate({
  identifier: "CreatedWebhookEndpoint"
})

export const WebhookDelivery = Schema.Struct({
  id: Schema.String,
  /** `null`: the webhook that the submission of the run named. */
  webhook_id: Schema.NullOr(Schema.String),
  session_id: Schema.String,
  workflow_id: Schema.String,
  event: Schema.String,
  url: Schema.String,
  status: Status,
  created_at: Schema.String,
  attempts: Schema.Int,
  next_attempt_at: instant,
  /** How long the last attempt took, in milliseconds. */
  duration: Schema.NullOr(Schema.Int),
  response_status: Schema.NullOr(Schema.Int),
  delivery_errors: Schema.Array(Schema.String)
}).annotate({ identifier: "WebhookDelivery" })

const WebhookEvents = Schema.Struct({
  webhook_events: Schema.Array(
    Schema.Struct({
      created_at: Schema.String,
      workflow_id: Schema.String,
      session_id: Schema.String,
      url: Schema.String,
      delivered: Schema.Boolean,
      delivery_errors: Schema.Array(Schema.String),
      /** How long the last attempt took, in milliseconds. */
      duration: Schema.NullOr(Schema.Int),
      retries: Schema.Int,
      message: Message
    })
  )
}).annotate({ identifier: "WebhookEvents" })

const Attempt = Schema.Struct({
  success: Schema.Boolean,
  /** The status that the receiver answered; empty when it did not. */
  response: Schema.String,
  /** What went wrong; empty when nothing did. */
  error: Schema.String
}).annotate({ identifier: "WebhookAttempt" })

const Replay = Schema.Struct({
  status: Schema.Literals(["success", "partial", "failed"]),
  info: Schema.String,
  nr_success: Schema.Int,
  nr_failed: Schema.Int,
  webhook_events: Schema.Array(Attempt)
}).annotate({ identifier: "WebhookReplay" })

const deliveryFilter = {
  status: Schema.optionalKey(Status),
  session_id: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 500 }))
  ),
  /** The `next_cursor` of the page before. */
  cursor: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
  )
}

export class WebhooksGroup extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("listEndpoints", "/webhook-endpoints", { success: Schema.Array(WebhookEndpoint) }),
  HttpApiEndpoint.post("createEndpoint", "/webhook-endpoints", {
    payload: Schema.Struct({ url: Url, workflow_id: optional(Schema.String), ...settings }).annotate({
      identifier: "WebhookEndpointRequest"
    }),
    success: CreatedEndpoint.pipe(HttpApiSchema.status(201)),
    error: [...edits, Errors.Conflict]
  }),
  HttpApiEndpoint.get("getEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    success: WebhookEndpoint,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.patch("changeEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    payload: Schema.Struct({ url: optional(Url), ...settings }).annotate({
      identifier: "WebhookEndpointChange"
    }),
    success: WebhookEndpoint,
    error: [...edits, Errors.Conflict]
  }),
  HttpApiEndpoint.delete("removeEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    success: WebhookEndpoint,
    error: [Errors.Forbidden, Errors.NotFound]
  }),
  HttpApiEndpoint.post("testEndpoint", "/webhook-endpoints/:webhook_id/test", {
    params: webhook,
    success: Attempt,
    error: [Errors.Forbidden, Errors.NotFound]
  }),
  HttpApiEndpoint.get("listDeliveries", "/webhook-deliveries", {
    query: deliveryFilter,
    success: Schema.Struct({
      deliveries: Schema.Array(WebhookDelivery),
      /** Where the next page begins; `null` after the last. */
      next_cursor: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "WebhookDeliveries" }),
    error: Errors.BadRequest
  }),
  HttpApiEndpoint.post("retryDelivery", "/webhook-deliveries/:delivery_id/retry", {
    params: { delivery_id: Schema.String },
    success: WebhookDelivery,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  }),
  HttpApiEndpoint.get("webhookEvents", "/webhooks/:session_id", {
    params: session,
    success: WebhookEvents,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.post("replayWebhooks", "/webhooks/:session_id/replay", {
    params: session,
    success: Replay,
    error: [Errors.Forbidden, Errors.NotFound]
  })
) {}
