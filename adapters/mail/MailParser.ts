/**
 * Parses mails (RFC 5322 and MIME), also invalid ones. It runs in a separate thread, in which `MailThread` limits its
 * time and memory, and therefore loads few modules.
 */
import { createHash } from "node:crypto"
import PostalMime, { type Address } from "postal-mime"
import { type Body, limits, type Message, plainBody } from "../../core/vault/inbox/ReceivedMessage.ts"
import { htmlBody } from "./HtmlText.ts"

/** Maximum number of bytes of a mail that are read. The rest is attachments. */
export const maxBytes = 524_288

/** Maximum number of lines of a mail that are read. Each line takes time, even an empty one. */
const maxLines = 10_000

/** Of a mail that exceeds these bounds, only its own headers are read. */
const bounds = { maxNestingDepth: 20, maxHeadersSize: 131_072, maxRfc822NestingDepth: 3 }
const maxParts = 200

/** A mail that was read. */
export interface Mail {
  readonly message: Message
  /** The addresses of recipients in its headers, in lower case. */
  readonly recipients: ReadonlyArray<string>
  /** An id that is the same for repeated deliveries of one mail, and different for other mails. */
  readonly id: string
}

/** The part of a mail that is read: its first bytes, up to the line limit. */
export const readable = (raw: Uint8Array): Uint8Array => {
  const buffer = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, maxBytes))
  let end = -1
  for (let lines = 0; lines < maxLines; lines++) {
    end = buffer.indexOf(10, end + 1)
    if (end < 0) return buffer
  }
  return buffer.subarray(0, end + 1)
}

/** The result for a mail that could not be parsed. */
export const unread = (raw: Uint8Array): Mail => ({
  message: { from: "", subject: "", bodies: [] },
  recipients: [],
  id: identify(readable(raw), "")
})

/** Parses a mail. The text of an unreadable mail is empty; the promise never rejects. */
export const parse = async (raw: Uint8Array): Promise<Mail> => {
  const bytes = readable(raw)
  if (countParts(bytes) > maxParts) return unread(bytes)
  try {
    const email = await new PostalMime(bounds).parse(bytes)
    return {
      message: {
        from: addressesOf(email.from === undefined ? [] : [email.from])[0] ?? "",
        subject: (email.subject ?? "").slice(0, limits.lineCharacters),
        bodies: bodiesOf(email.html, email.text)
      },
      recipients: [
        ...new Set([
          ...addressesOf([...(email.to ?? []), ...(email.cc ?? []), ...(email.bcc ?? [])]),
          ...email.headers
            .filter(({ key }) => deliveries.has(key))
            .map(({ value }) => (/<([^<>]{1,320})>/.exec(value)?.[1] ?? value).trim().toLowerCase())
        ])
      ].slice(0, maxRecipients),
      id: identify(bytes, email.messageId ?? "")
    }
  } catch {
    return unread(bytes)
  }
}

const maxRecipients = 100

/** Headers that name the recipient of a forwarded mail. */
const deliveries = new Set(["delivered-to", "x-original-to", "x-forwarded-to", "envelope-to", "x-envelope-to"])

/** The bodies of a mail: HTML first, because mail clients show it. */
export const bodiesOf = (html: string | undefined, text: string | undefined): ReadonlyArray<Body> => [
  ...(html === undefined || html === "" ? [] : [htmlBody(html)]),
  ...(text === undefined || text === "" ? [] : [plainBody(text)])
]

/** The identity of a mail: its Message-ID and its body, without the trace headers that relays add. */
const identify = (bytes: Uint8Array, messageId: string): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ends = [buffer.indexOf("\r\n\r\n"), buffer.indexOf("\n\n")].filter((at) => at >= 0)
  const body = buffer.subarray(ends.length === 0 ? 0 : Math.min(...ends))
  return `mail:${createHash("sha256").update(messageId.slice(0, 1_000)).update("\0").update(body).digest("hex")}`
}

const addressesOf = (addresses: ReadonlyArray<Address>): ReadonlyArray<string> =>
  addresses
    .slice(0, maxRecipients)
    .flatMap((one) => (one.group === undefined ? [one] : one.group))
    .map(({ address }) => address.trim().toLowerCase())
    .filter((address) => address !== "" && address.length <= 320)

/** The number of lines that begin like a boundary, counted up to one more than the maximum number of parts. */
const countParts = (bytes: Uint8Array): number => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = buffer.indexOf("\n--"); at >= 0 && count <= maxParts; at = buffer.indexOf("\n--", at + 3)) {
    // A boundary that begins a part is followed by a header.
    const end = buffer.indexOf("\n", at + 3)
    if (end > 0 && end - at < 80 && /^content-/i.test(buffer.toString("latin1", end + 1, end + 9))) count++
  }
  return count
}
