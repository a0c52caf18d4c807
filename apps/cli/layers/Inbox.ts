/**
 * The inbox of the codes and links that sites send: the mail server, and the addresses and numbers of credentials.
 */
import { readFileSync } from "node:fs"
import { Effect, Layer, Option, Schema } from "effect"
import { InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { PhoneNumberOf } from "../../../core/vault/otp/LoginCodes.ts"
import { DefaultPhoneNumber, PhoneNumbers } from "../../../core/vault/otp/PhoneNumbers.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"

import * as WorkspaceShares from "./WorkspaceShares.ts"

/** The addresses for codes. Every process that deals with credentials is given the same. */
export interface Reachable {
  readonly inboxDomain: Option.Option<string>
  readonly phoneNumber: Option.Option<string>
}

/** The source of the computed addresses and numbers of credentials. */
export const layerNumbers = ({ inboxDomain, phoneNumber }: Reachable) =>
  Layer.merge(
    Layer.succeed(InboxDomain, Option.getOrNull(inboxDomain)),
    Layer.succeed(DefaultPhoneNumber, Option.getOrNull(phoneNumber))
  )

/** The received codes, for runs that sign in. */
export const layerReceived = (settings: Reachable) =>
  Layer.effect(
    PhoneNumberOf,
    Effect.map(
      PhoneNumbers,
      ({ phoneNumberOf }) =>
        ({ workspaceId }: VaultEntry) =>
          phoneNumberOf(workspaceId)
    )
  ).pipe(Layer.provide(PhoneNumbers.layer), Layer.provideMerge(layerNumbers(settings)))

export interface ReceivingMail extends Reachable {
  readonly workspaceMails: Option.Option<number>
  readonly smtpPort: Option.Option<number>
  readonly smtpHost: string
  readonly smtpCertificate: Option.Option<string>
  readonly smtpKey: Option.Option<string>
}

/** Raised when the mail server is set in part. */
export class MailMisconfigured extends Schema.TaggedError<MailMisconfigured>()("MailMisconfigured", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot receive mail: ${this.reason}`
  }
}

/** The mail server, for as long as the layer lives; nothing where no port is set for it. */
export const layer = (settings: ReceivingMail) => {
  if (Option.isNone(settings.smtpPort)) return Layer.empty
  const { smtpHost: host } = settings
  const port = settings.smtpPort.value
  return Layer.unwrap(
    Effect.gen(function* () {
      if (Option.isNone(settings.inboxDomain)) {
        return yield* new MailMisconfigured({ reason: "SLUICE_SMTP_PORT is set, and SLUICE_INBOX_DOMAIN is not" })
      }
      const certificate = yield* certificateOf(settings)
      // Loaded only if mail is received.
      const SmtpServer = yield* Effect.promise(() => import("../../../adapters/mail/SmtpServer.ts"))
      const { Receiving } = yield* Effect.promise(() => import("../../../core/vault/inbox/Receiving.ts"))
      return Layer.effectDiscard(SmtpServer.SmtpServer).pipe(
        Layer.provide(
          SmtpServer.layer({ ...SmtpServer.defaults, host, port, name: settings.inboxDomain.value, certificate })
        ),
        Layer.provide(Receiving.layer),
        Layer.provide(WorkspaceShares.layer({ requests: null, mails: settings.workspaceMails, liveViews: null })),
        Layer.provide(layerNumbers(settings))
      )
    })
  )
}

const certificateOf = ({ smtpCertificate, smtpKey }: ReceivingMail) =>
  Effect.gen(function* () {
    if (Option.isNone(smtpCertificate) && Option.isNone(smtpKey)) return null
    if (Option.isNone(smtpCertificate) || Option.isNone(smtpKey)) {
      return yield* new MailMisconfigured({ reason: "SLUICE_SMTP_TLS_CERT and SLUICE_SMTP_TLS_KEY are set together" })
    }
    const read = (file: string) =>
      Effect.try({
        try: () => readFileSync(file, "utf8"),
        catch: () => new MailMisconfigured({ reason: `the file ${file} cannot be read` })
      })
    return { cert: yield* read(smtpCertificate.value), key: yield* read(smtpKey.value) }
  })
