/**
 * Parses mails (RFC 5322 and MIME), also invalid ones. It runs in a separate thread, in which `MailThread` limits its
 * time and memory, and therefore loads few modules.
 */
import PostalMime, { type Address } from "postal-mime"
import { type Body, limits, plainBody } from "../../core/vault/inbox/ReceivedMessage.ts"
import { htmlBody } from "./HtmlText.ts"
import * as Mail from "./Mail.ts"

/** Of a mail that exceeds these bounds, only its own headers are read. */
const bounds = { maxNestingDepth: 20, maxHeadersSize: 131_072, maxRfc822NestingDepth: 3 }
const maxParts = 200

/** Parses a mail. The text of an unreadable mail is empty; the promise never rejects. */
export const parse = async (raw: Uint8Array): Promise<Mail.Mail> => {
  const bytes = Mail.readable(raw)
  if (countParts(bytes) > maxParts) return Mail.unread(bytes)
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
      id: Mail.identify(bytes, email.messageId ?? "")
    }
  } catch {
    return Mail.unread(bytes)
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

const addressesOf = (addresses: ReadonlyArray<Address>): ReadonlyArray<string> =>
  addresses
    .slice(0, maxRecipients)
    .flatMap((address) => (address.group === undefined ? [address] : address.group))
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
