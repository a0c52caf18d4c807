/** A mail that was read, and the part of a mail that is read. */
import { createHash } from "node:crypto"
import type { Message } from "../../core/vault/inbox/ReceivedMessage.ts"

/** Maximum number of bytes of a mail that are read. The rest is attachments. */
export const maxBytes = 524_288

/** Maximum number of lines of a mail that are read. Each line takes time, even an empty one. */
const maxLines = 10_000

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

/** The identity of a mail: its Message-ID and its body, without the trace headers that relays add. */
export const identify = (bytes: Uint8Array, messageId: string): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ends = [buffer.indexOf("\r\n\r\n"), buffer.indexOf("\n\n")].filter((at) => at >= 0)
  const body = buffer.subarray(ends.length === 0 ? 0 : Math.min(...ends))
  return `mail:${createHash("sha256").update(messageId.slice(0, 1_000)).update("\0").update(body).digest("hex")}`
}
