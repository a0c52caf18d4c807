/**
 * Notifications of Amazon's SNS, and whether they are signed by it.
 *
 * That says only that SNS sent it, and not whose topic it was sent for: the secret of the installation is asked for as well.
 */
import { createVerify, X509Certificate } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import type { AwsFetch } from "../../../adapters/http/AwsFetch.ts"

const text = Schema.String
const Notice = Schema.Struct({
  Type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: text,
  TopicArn: text,
  Message: text,
  Timestamp: text,
  SignatureVersion: Schema.Literals(["1", "2"]),
  Signature: text,
  SigningCertURL: text,
  Subject: Schema.optionalKey(Schema.NullOr(text)),
  Token: Schema.optionalKey(text),
  SubscribeURL: Schema.optionalKey(text)
})
export type Notice = typeof Notice.Type

export const decode: (json: unknown) => Option.Option<Notice> = Schema.decodeUnknownOption(Notice)

/** How old a notification may be, in milliseconds. */
const maxAgeMillis = 3_600_000

/** An address of SNS itself; `null` for any other. */
export const awsUrl = (written: string): URL | null => {
  if (URL.parse(written) === null) return null
  const url = new URL(written)
  const isAws = /^sns(?:\.[a-z0-9-]{1,40})?\.amazonaws\.com(?:\.cn)?$/.test(url.hostname)
  return url.protocol === "https:" && isAws && url.port === "" && url.username === "" ? url : null
}

/** Maximum number of cached certificates. */
const maxHeld = 16

/** Checks notifications, with certificates that are fetched once a day. */
export const makeChecking = (fetch: AwsFetch) => {
  const certificates = new Map<string, { readonly at: number; readonly certificate: X509Certificate }>()

  const certificateAt = Effect.fnUntraced(function* (url: URL, now: number) {
    const known = certificates.get(url.href)
    if (known !== undefined && now - known.at < 86_400_000) return known.certificate
    const pem = yield* fetch(url)
    const certificate = yield* Effect.try({
      try: () => new X509Certificate(pem),
      catch: () => new Error("No certificate")
    })
    for (const oldest of certificates.keys()) if (certificates.size >= maxHeld) certificates.delete(oldest)
    certificates.set(url.href, { at: now, certificate })
    return certificate
  })

  return Effect.fn("Sns.check")(function* (notice: Notice, now: number) {
    const url = awsUrl(notice.SigningCertURL)
    if (url === null || !url.pathname.endsWith(".pem")) return "wrong" as const
    const certificate = yield* Effect.option(certificateAt(url, now))
    if (Option.isNone(certificate)) return "wrong" as const
    const { publicKey, validFrom, validTo } = certificate.value
    if (now < Date.parse(validFrom) || now > Date.parse(validTo)) return "wrong" as const
    const verify = createVerify(notice.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256").update(signedText(notice))
    const isSigned = yield* Effect.sync(() => {
      try {
        return verify.verify(publicKey, notice.Signature, "base64")
      } catch {
        return false
      }
    })
    if (!isSigned) return "wrong" as const
    const sent = Date.parse(notice.Timestamp)
    return Math.abs(now - sent) <= maxAgeMillis ? ("valid" as const) : ("stale" as const)
  })
}

/** The text that SNS signs: names and values, a line each. */
export const signedText = (notice: Notice): string => {
  const names =
    notice.Type === "Notification"
      ? (["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const)
      : (["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const)
  return names
    .filter((name) => notice[name] != null)
    .map((name) => `${name}\n${notice[name]}\n`)
    .join("")
}
