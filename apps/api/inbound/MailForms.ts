/** The JSON forms of mails, and their common fields. */
import { Effect, Option, Schema } from "effect"
import * as MailThread from "../../../adapters/mail/MailThread.ts"
import * as MailSender from "../../../core/vault/inbox/MailSender.ts"
import type { Arrival } from "../../../core/vault/inbox/Receiving.ts"
import { idOf } from "./Inbound.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

const Plain = Schema.Struct({
  from: text,
  to: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
  subject: text,
  text,
  html: text,
  id: text
})

const Recipient = Schema.Struct({ Email: Schema.String })
const recipients = Schema.optionalKey(Schema.NullOr(Schema.Array(Recipient)))

const Postmark = Schema.Struct({
  MessageID: Schema.String,
  From: text,
  To: text,
  OriginalRecipient: text,
  ToFull: recipients,
  CcFull: recipients,
  BccFull: recipients,
  Subject: text,
  TextBody: text,
  HtmlBody: text,
  RawEmail: text,
  Headers: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ Name: Schema.String, Value: Schema.String }))))
})

const Verdict = Schema.optionalKey(Schema.NullOr(Schema.Struct({ status: text })))

const Ses = Schema.Struct({
  mail: Schema.Struct({
    messageId: Schema.String,
    source: text,
    destination: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  receipt: Schema.optionalKey(
    Schema.Struct({
      recipients: Schema.optionalKey(Schema.Array(Schema.String)),
      spfVerdict: Verdict,
      dkimVerdict: Verdict,
      dmarcVerdict: Verdict,
      action: Schema.optionalKey(Schema.Struct({ encoding: text }))
    })
  ),
  content: text
})

/** Maximum number of recipients that are read. */
const maxRecipients = 100

/** The bare addresses of texts such as `Name <a@example.com>, b@example.com`. */
export const addressesIn = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts
    .flatMap((listed) => listed.slice(0, 10_000).split(","))
    .slice(0, maxRecipients)
    .map((one) => (/<([^<>]{1,320})>/.exec(one)?.[1] ?? one).trim())
    .filter((address) => address !== "" && address.length <= 320)

/** A mail as `{"from", "to", "subject", "text", "html"}`, which may have an `id`; none for anything else. */
export const plain = (json: unknown): Effect.Effect<Option.Option<Arrival>> =>
  onMail(Schema.decodeUnknownOption(Plain)(json), (mail) =>
    Effect.map(MailThread.bodies(mail.html, mail.text), (bodies) => ({
      recipients: addressesIn(typeof mail.to === "string" ? [mail.to] : mail.to),
      message: { from: mail.from ?? "", subject: mail.subject ?? "", bodies },
      id: mail.id == null || mail.id === "" ? null : idOf("mail", mail.id)
    }))
  )

/** A mail in the form of Postmark. */
export const postmark = (json: unknown): Effect.Effect<Option.Option<Arrival>> =>
  onMail(Schema.decodeUnknownOption(Postmark)(json), (mail) => {
    const full = [mail.ToFull, mail.CcFull, mail.BccFull].flatMap((all) => all ?? []).map(({ Email }) => Email)
    const spf = mail.Headers?.find(({ Name }) => Name.toLowerCase() === "received-spf")?.Value
    const found = /^\s*([a-z]{1,12})\b/i.exec(spf ?? "")?.[1]?.toLowerCase()
    const [sender = "", ...others] = (spf ?? "").split(/\benvelope-from=/i).slice(1)
    // Two of them are none: the name that a client gave itself stands in the same header.
    const domain = others.length > 0 ? "" : domainOf(/^<?([^\s";<>]*)/.exec(sender)?.[1] ?? "")
    return Effect.map(MailThread.bodies(mail.HtmlBody, mail.TextBody), (bodies) => ({
      recipients: addressesIn([mail.OriginalRecipient ?? "", ...full, mail.To ?? ""]),
      message: { from: mail.From ?? "", subject: mail.Subject ?? "", bodies },
      id: idOf("postmark", mail.MessageID),
      ...(found === undefined
        ? {}
        : { authentication: MailSender.verdict({ spf: { result: found, domains: [domain] } }) })
    }))
  })

const onMail = <A>(
  read: Option.Option<A>,
  arrival: (mail: A) => Effect.Effect<Arrival>
): Effect.Effect<Option.Option<Arrival>> =>
  Option.isNone(read) ? Effect.succeedNone : Effect.asSome(arrival(read.value))

/** The mail in a notification of Amazon SES; none for other notifications, or for one without the mail. */
export const ses = (json: unknown): Effect.Effect<Option.Option<Arrival>> => {
  const read = Schema.decodeUnknownOption(Ses)(json)
  if (Option.isNone(read) || read.value.content == null) return Effect.succeedNone
  const { content, mail, receipt } = read.value
  const raw = Buffer.from(content, receipt?.action?.encoding?.toUpperCase() === "BASE64" ? "base64" : "utf8")
  return Effect.map(MailThread.mail(raw), ({ message }) =>
    Option.some({
      recipients: addressesIn(receipt?.recipients ?? mail.destination ?? []),
      message,
      id: idOf("ses", mail.messageId),
      authentication: MailSender.verdict({
        spf: { result: resultOf(receipt?.spfVerdict), domains: [domainOf(mail.source ?? "")] },
        // Only DMARC says which domain has signed: the one that the mail says it is from.
        dkim: {
          result: resultOf(receipt?.dkimVerdict),
          domains: resultOf(receipt?.dmarcVerdict) === "pass" && hasOneFrom(raw) ? [domainOf(message.from)] : []
        }
      })
    })
  )
}

const resultOf = (given: typeof Verdict.schema.Type | undefined): string => given?.status?.toLowerCase() ?? "none"

/** With two of them, the one that was checked may not be the one that is read. */
const hasOneFrom = (raw: Buffer): boolean => {
  const [headers = ""] = raw.toString("latin1", 0, maxHeaderBytes).split(/\r?\n\r?\n/, 1)
  return headers.match(/^from[ \t]*:/gim)?.length === 1
}

const maxHeaderBytes = 131_072

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)
