/**
 * Decodes UTF-8 that arrives in pieces. Text in pieces of ASCII stays as small in memory as its bytes.
 */
import { isUtf8 } from "node:buffer"

export interface Decoder {
  /** The text that the next bytes complete, or `null` when they cannot be UTF-8. */
  readonly add: (bytes: Uint8Array) => string | null
  /** Whether the bytes so far end at a character boundary. */
  readonly isComplete: () => boolean
}

/** A decoder at the beginning of a text. It is strict: no overlong forms, no surrogates. A byte order mark is skipped. */
export const make = (): Decoder => {
  let rest: Buffer = Buffer.alloc(0)
  let atStart = true
  return {
    add: (bytes) => {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const all = rest.length === 0 ? view : Buffer.concat([rest, view])
      const cut = lastBoundary(all)
      const whole = all.subarray(0, cut)
      // The caller may reuse the given bytes.
      rest = Buffer.from(all.subarray(cut))
      if (!isUtf8(whole)) return null
      const text = whole.toString("utf8")
      if (!atStart || text === "") return text
      atStart = false
      return text.startsWith("\ufeff") ? text.slice(1) : text
    },
    isComplete: () => rest.length === 0
  }
}

/** The end of the last whole character: at most three bytes before the end. */
const lastBoundary = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    // The position is within the bytes.
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return needed > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}
