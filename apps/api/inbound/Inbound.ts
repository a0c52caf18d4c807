/**
 * Authenticates senders of mails and SMS over HTTP: a sender knows a secret of the installation, or signs with it.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Context, Redacted } from "effect"

export interface Settings {
  /** Without it only Twilio is accepted. */
  readonly secret: Redacted.Redacted<string> | null
  /** The token that Twilio signs with; without it, no request of Twilio is accepted. */
  readonly twilioAuthToken: Redacted.Redacted<string> | null
}

/** How the installation is set. */
export const Inbound: Context.Reference<Settings> = Context.Reference("sluice/apps/api/inbound/Inbound", {
  defaultValue: (): Settings => ({ secret: null, twilioAuthToken: null })
})

/** Compares in constant time. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

type Headers = Readonly<Record<string, string | undefined>>

/** The proof of the secret in a request: `signed` is checked after its body was read. */
export type Shown = "secret" | "signed" | "nothing"

/**
 * How a request proves that it knows the secret: as the password of Basic authentication, as a bearer token, or by a
 * signature.
 */
export const shown = ({ authorization = "", ...headers }: Headers, secret: Redacted.Redacted<string>): Shown => {
  const [, scheme = "", given = ""] = /^(\S{1,16}) +(\S{1,4096})$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === "bearer" && isSame(given, Redacted.value(secret))) return "secret"
  if (scheme.toLowerCase() === "basic") {
    const pair = Buffer.from(given, "base64").toString("utf8")
    if (isSame(pair.slice(pair.indexOf(":") + 1), Redacted.value(secret))) return "secret"
  }
  return headers[timestampHeader] !== undefined && headers[signatureHeader] !== undefined ? "signed" : "nothing"
}

export const timestampHeader = "x-sluice-timestamp"
export const signatureHeader = "x-sluice-signature"

/** The signature of a request in the one form that it has, however its digits are written. */
export const signatureOf = (headers: Headers): string => (headers[signatureHeader] ?? "").toLowerCase()

/** Maximum difference between the time of a signature and the clock of the service, in milliseconds. */
const toleranceMillis = 300_000

/**
 * Checks a signed request: the header `x-sluice-timestamp` has seconds since the epoch, and `x-sluice-signature` the hexadecimal
 * HMAC-SHA256 of that, a dot and the body.
 */
export const checkSignature = (
  headers: Headers,
  body: Uint8Array,
  secret: Redacted.Redacted<string>,
  now: number
): "valid" | "wrong" | "stale" => {
  const timestamp = headers[timestampHeader] ?? ""
  const own = createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.`).update(body).digest("hex")
  if (!/^\d{1,12}$/.test(timestamp) || !isSame(signatureOf(headers), own)) return "wrong"
  return Math.abs(now - Number(timestamp) * 1_000) <= toleranceMillis ? "valid" : "stale"
}

/** The id of a message that a sender numbered, distinct from the ids of other senders. */
export const idOf = (giver: string, id: string): string => `${giver}:${createHash("sha256").update(id).digest("hex")}`
