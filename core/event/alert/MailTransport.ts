/**
 * Sends mails by the SMTP server that a workspace names.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { AlertOutcome } from "./Alert.ts"
import type { MailServer, ReceiverAccess } from "./AlertReceiver.ts"

export interface SentMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** One line. */
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** The same for each attempt, so that receivers know a mail again that came twice. */
  readonly messageId: string
}

export class MailTransport extends Context.Service<
  MailTransport,
  {
    /** Why this host would be refused, if that can be decided without resolving its name; `null` otherwise. */
    readonly refusal: (host: string) => string | null

    /**
     * Sends a mail, within 30 seconds. Private, loopback and link-local addresses are refused unless allowed; the address
     * that is judged is the one that is connected to. No outcome contains the access, or what the server says.
     */
    readonly send: (
      server: MailServer,
      access: Redacted.Redacted<ReceiverAccess>,
      mail: SentMail
    ) => Effect.Effect<AlertOutcome>
  }
>()("sluice/core/event/alert/MailTransport") {}
