/** The endpoints of webhooks and of what was delivered to them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Message } from "../../../core/event/EventMessage.ts"
import { Status } from "../../../core/event/webhook/Delivery.ts"
import { EventTypes } from "../../../core/event/webhook/Subscription.ts"
import { Url, Validity } from "../../../core/event/webhook/Webhook.ts"
import { Needs, ReachesOut, TellsSecret } from "../Annotations.ts"
import { edits, optional, session, wholeNumber } from "../http/body/Fields.ts"
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
  /** `null` for a test. */
  session_id: Schema.NullOr(Schema.String),
  workflow_id: Schema.NullOr(Schema.String),
  /** `webhook.test` for a test. */
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
  /** The failure of the attempt; empty when it succeeded. */
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
  webhook_id: Schema.optionalKey(Schema.String),
  limit: wholeNumber(1, 500),
  /** The `next_cursor` of the page before. */
  cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER)
}

const group = HttpApiGroup.make("webhooks").annotate(
  OpenApi.Description,
  "HTTP receivers of events, and the result of each delivery"
)

export class WebhooksGroup extends group.add(
  HttpApiEndpoint.get("listEndpoints", "/webhook-endpoints", { success: Schema.Array(WebhookEndpoint) })
    .annotate(OpenApi.Summary, "List the registered webhooks of the workspace")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createEndpoint", "/webhook-endpoints", {
    payload: Schema.Struct({ url: Url, workflow_id: optional(Schema.String), ...settings }).annotate({
      identifier: "WebhookEndpointRequest"
    }),
    success: CreatedEndpoint.pipe(HttpApiSchema.status(201)),
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Register a webhook for all workflows or for one; the secret is generated unless given, and returned only once"
    )
    .annotate(Needs, "manage")
    .annotate(TellsSecret, true),
  HttpApiEndpoint.get("getEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    success: WebhookEndpoint,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read a registered webhook")
    .annotate(Needs, "read"),
  HttpApiEndpoint.patch("changeEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    payload: Schema.Struct({ url: optional(Url), ...settings }).annotate({
      identifier: "WebhookEndpointChange"
    }),
    success: WebhookEndpoint,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Change the given fields of a webhook; pending deliveries go to its new address")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.delete("removeEndpoint", "/webhook-endpoints/:webhook_id", {
    params: webhook,
    success: WebhookEndpoint,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a webhook; its pending deliveries are given up")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("testEndpoint", "/webhook-endpoints/:webhook_id/test", {
    params: webhook,
    success: Attempt,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Send a signed message of type webhook.test to a webhook, and return its answer")
    .annotate(Needs, "manage")
    .annotate(ReachesOut, true),
  HttpApiEndpoint.get("listDeliveries", "/webhook-deliveries", {
    query: deliveryFilter,
    success: Schema.Struct({
      deliveries: Schema.Array(WebhookDelivery),
      /** The cursor of the next page; `null` after the last. */
      next_cursor: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "WebhookDeliveries" }),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Summary,
      "List deliveries to webhooks, newest first, with the last 10 tests of each beside them; with status=dead, only those that were given up"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("retryDelivery", "/webhook-deliveries/:delivery_id/retry", {
    params: { delivery_id: Schema.String },
    success: WebhookDelivery,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Retry a delivery that was given up")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("webhookEvents", "/webhooks/:session_id", {
    params: session,
    success: WebhookEvents,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the deliveries of the events of one run, and their results")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("replayWebhooks", "/webhooks/:session_id/replay", {
    params: session,
    success: Replay,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Send all events of a run again to the webhooks that are subscribed to them now")
    .annotate(Needs, "edit")
    .annotate(ReachesOut, true)
) {}
