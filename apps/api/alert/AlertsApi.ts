/** The endpoints of the receivers of alerts, and of the alerts that were sent. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AlertKind, AlertStatus } from "../../../core/event/alert/Alert.ts"
import { MailAddress, MailServer, ReceiverType } from "../../../core/event/alert/AlertReceiver.ts"
import { isEndless, TimeOfDay, ZoneName } from "../../../core/event/alert/QuietHours.ts"
import { Url } from "../../../core/event/webhook/Webhook.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional, pageOf } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const params = { receiver_id: Schema.String }

const name = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a name"),
  TextLength.atMost(256)
)

const secret = Schema.String.check(Schema.isBetweenLength(1, 4_096))

const kinds = Schema.Array(AlertKind)

const seconds = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: 604_800 }))

/** Hours of each day in which nothing is sent but what is urgent, by the clocks of a zone. */
const QuietHours = Schema.Struct({ time_zone: ZoneName, from: TimeOfDay, to: TimeOfDay })
  .check(Schema.makeFilter(isEndless))
  .annotate({ identifier: "QuietHours" })

const Smtp = Schema.Struct({
  ...MailServer.fields,
  /** With a password; stored sealed and never returned. */
  username: optional(secret),
  password: optional(secret)
})
  .check(
    Schema.makeFilter(({ password, username }) =>
      (password == null) === (username == null)
        ? undefined
        : {
            path: [password == null ? "password" : "username"],
            issue: "Expected both a username and a password, or none"
          }
    )
  )
  .annotate({ identifier: "AlertMailServer" })

const settings = {
  /** The incoming web hook of a channel of Slack or Teams; stored sealed and never returned. */
  url: Schema.optionalKey(Url),
  /** The mail server of the type `mail`. A user is left out to keep the one that there is, for the same host. */
  smtp: Schema.optionalKey(Smtp),
  from: Schema.optionalKey(MailAddress),
  to: Schema.optionalKey(Schema.Array(MailAddress).check(Schema.isMinLength(1), Schema.isMaxLength(20))),
  /** The events that it gets alerts about; all when left out. */
  events: Schema.optionalKey(kinds.check(Schema.isMinLength(1))),
  /** The events that it gets alerts about in its quiet hours as well. */
  urgent: Schema.optionalKey(kinds),
  /** The workflows that it gets alerts about; `null` for all. */
  workflow_ids: optional(Schema.Array(WorkflowId).check(Schema.isMinLength(1), Schema.isMaxLength(100))),
  /** `null` for none. */
  quiet_hours: optional(QuietHours),
  /** How long what has one cause is gathered before it is sent; 60 when left out. */
  gather_seconds: Schema.optionalKey(seconds(0)),
  /** How long after a message the next one of the same cause is sent; 3600 when left out. */
  pause_seconds: Schema.optionalKey(seconds(60))
}

export const ReceiverRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: ReceiverType,
  /** The host of its web hook or mail server. */
  host: Schema.String,
  /** The mail server; `null` for a channel. */
  smtp: Schema.NullOr(Schema.Struct({ ...MailServer.fields, has_user: Schema.Boolean })),
  from: Schema.NullOr(Schema.String),
  to: Schema.Array(Schema.String),
  events: kinds,
  urgent: kinds,
  workflow_ids: Schema.NullOr(Schema.Array(Schema.String)),
  quiet_hours: Schema.NullOr(QuietHours),
  gather_seconds: Schema.Int,
  pause_seconds: Schema.Int,
  created_at: Schema.String,
  created_by: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "AlertReceiver" })

export const AlertRecord = Schema.Struct({
  id: Schema.String,
  receiver_id: Schema.String,
  event: AlertKind,
  workflow_id: Schema.String,
  /** The first runs that it is about, and how often it happened. */
  session_ids: Schema.Array(Schema.String),
  count: Schema.Int,
  status: AlertStatus,
  attempts: Schema.Int,
  next_attempt_at: Schema.NullOr(Schema.String),
  errors: Schema.Array(Schema.String),
  first_at: Schema.String,
  last_at: Schema.String,
  settled_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Alert" })

const group = HttpApiGroup.make("alerts").annotate(
  OpenApi.Description,
  "Messages to people, by mail or to a channel, about runs that fail, wait for a person or do not start"
)

export class AlertsGroup extends group.add(
  HttpApiEndpoint.get("listAlertReceivers", "/alert-receivers", {
    success: Schema.Array(ReceiverRecord),
    error: Errors.Forbidden
  })
    .annotate(OpenApi.Summary, "List the receivers of alerts of the workspace")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("createAlertReceiver", "/alert-receivers", {
    payload: Schema.Struct({ name, type: ReceiverType, ...settings }).annotate({ identifier: "AlertReceiverRequest" }),
    success: ReceiverRecord.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Register a receiver of alerts about runs that fail, wait for a person or do not start")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("getAlertReceiver", "/alert-receivers/:receiver_id", {
    params,
    success: ReceiverRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Read a receiver of alerts")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.patch("changeAlertReceiver", "/alert-receivers/:receiver_id", {
    params,
    payload: Schema.Struct({ name: Schema.optionalKey(name), ...settings }).annotate({
      identifier: "AlertReceiverChange"
    }),
    success: ReceiverRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Change the given fields of a receiver of alerts")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.delete("removeAlertReceiver", "/alert-receivers/:receiver_id", {
    params,
    success: ReceiverRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a receiver of alerts; what was gathered for it is not sent")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("testAlertReceiver", "/alert-receivers/:receiver_id/test", {
    params,
    success: Schema.Struct({
      sent: Schema.Boolean,
      /** Why it was not sent; `null` where it was. */
      reason: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "AlertTest" }),
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Send a test to a receiver of alerts at once, and answer what came of it")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("listAlerts", "/alerts", {
    query: {
      status: Schema.optionalKey(AlertStatus),
      receiver_id: Schema.optionalKey(Schema.String),
      ...pageOf("alerts", 1_000, 100)
    },
    success: Schema.Struct({
      alerts: Schema.Array(AlertRecord),
      /** The cursor of the next page; `null` after the last. */
      next_cursor: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "Alerts" }),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "List the alerts of the last 30 days, newest first")
    .annotate(Needs, "manage")
) {}
