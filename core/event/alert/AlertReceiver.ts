/**
 * Who alerts go to: people by mail, or a channel of Slack or Teams. The address of a channel and the access to a mail server
 * are kept sealed and are never returned.
 */
import { Context, Effect, Schema } from "effect"
import * as ReencryptionTargets from "../../vault/keys/ReencryptionTargets.ts"
import * as TextLength from "../../window/TextLength.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import { AlertKind } from "./Alert.ts"
import { QuietHours } from "./QuietHours.ts"

/** `mail`: by an SMTP server. `slack`, `teams`: an incoming web hook of a channel. */
export const ReceiverType = Schema.Literals(["mail", "slack", "teams"])
export type ReceiverType = typeof ReceiverType.Type

/** How the connection to a mail server is secured: from its first byte, by STARTTLS before anything is sent, or not. */
export const MailSecurity = Schema.Literals(["tls", "starttls", "none"])
export type MailSecurity = typeof MailSecurity.Type

/** One address, such as `ops@example.com`. */
export const MailAddress = Schema.String.check(
  TextLength.atMost(320),
  Schema.isPattern(/^[^\s<>,;:"()[\]\\@]+@[^\s<>,;:"()[\]\\@]+$/, {
    message: "Expected a mail address such as ops@example.com"
  })
)

/** The host of a mail server: a name or an IP address. */
export const MailHost = Schema.String.check(
  TextLength.atMost(253),
  Schema.makeFilter(
    (host: string) =>
      (/^[A-Za-z0-9.:-]+$/.test(host) && URL.parse(`smtp://${host.includes(":") ? `[${host}]` : host}`) !== null) ||
      "Expected the host of a mail server such as smtp.example.com"
  )
)

export const MailServer = Schema.Struct({
  host: MailHost,
  port: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })),
  security: MailSecurity
})
export type MailServer = typeof MailServer.Type

/** What a receiver asks for: the address of its web hook, or the user of its mail server. */
export const ReceiverAccess = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String)
})
export type ReceiverAccess = typeof ReceiverAccess.Type

/** A receiver. Instants are epoch milliseconds. */
export const AlertReceiver = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: ReceiverType,
  /** The host of its web hook or of its mail server. */
  host: Schema.String,
  /** How mails are sent; `null` for a channel. */
  mail: Schema.NullOr(Schema.Struct({ server: MailServer, from: MailAddress, to: Schema.Array(MailAddress) })),
  kinds: Schema.Array(AlertKind),
  /** The kinds that it gets alerts about in its quiet hours as well. */
  urgent: Schema.Array(AlertKind),
  /** The workflows that it gets alerts about; `null` for all. */
  workflowIds: Schema.NullOr(Schema.Array(Schema.String)),
  quiet: Schema.NullOr(QuietHours),
  /** How long an alert gathers what has its cause before it is sent. */
  gatherSeconds: Schema.Int,
  /** How long after an alert the next one of the same cause is sent. */
  pauseSeconds: Schema.Int,
  /** The JSON of its `ReceiverAccess`, sealed with the key of the workspace; `null` where none is needed. */
  sealedAccess: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  createdBy: Schema.String,
  updatedAt: Schema.Finite
})
export type AlertReceiver = typeof AlertReceiver.Type

export const kind: Kind<AlertReceiver> = {
  name: "alert_receivers",
  schema: AlertReceiver,
  key: ({ name }) => name
}

export class AlertReceiverStore extends Context.Service<AlertReceiverStore, Collection<AlertReceiver>>()(
  "sluice/core/event/alert/AlertReceiverStore"
) {}

/** The sealed access of receivers, for the exchange of encryption keys. */
export const sealedPlace = Effect.map(AlertReceiverStore, (store) =>
  ReencryptionTargets.ofCollection("receivers of alerts", store, (receiver, renew) =>
    receiver.sealedAccess === null ? receiver : { ...receiver, sealedAccess: renew(receiver.sealedAccess) }
  )
)

/** Raised for a receiver that does not exist in the workspace. */
export class ReceiverNotFound extends Schema.TaggedError<ReceiverNotFound>()("ReceiverNotFound", {
  receiverId: Schema.String
}) {
  override get message() {
    return `Receiver of alerts "${this.receiverId.slice(0, 80)}" not found in this workspace`
  }
}

/** Raised for a receiver that cannot be kept. It repeats nothing of its access. */
export class InvalidReceiver extends Schema.TaggedError<InvalidReceiver>()("InvalidReceiver", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot keep the receiver of alerts: ${this.path}: ${this.reason}`
  }
}
