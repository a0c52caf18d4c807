/** Assembles the messages of a client of the PostgreSQL protocol from the received pieces. */

export interface Read {
  /** The complete messages, concatenated. */
  readonly messages: Uint8Array
  /** Whether the client ends the connection, or opened it only to cancel a statement of another one. */
  readonly ends: boolean
}

/** Takes the next piece of a connection. */
export type Reader = (piece: Uint8Array) => Read

/** Reads a connection from its first byte. */
export const reader = (): Reader => {
  /** The beginning of an incomplete message. */
  let pieces: Array<Uint8Array> = []
  let length = 0
  /** The minimum length of the complete message, as far as known. */
  let needed = 0
  let isStarted = false

  return (piece) => {
    pieces.push(piece)
    length += piece.length
    if (length < needed) return { messages: new Uint8Array(), ends: false }
    const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces)
    const { at, ends, next } = wholeOf(bytes, isStarted)
    isStarted ||= at > 0
    needed = next
    length = bytes.length - at
    pieces = length === 0 ? [] : [bytes.subarray(at)]
    return { messages: bytes.subarray(0, at), ends }
  }
}

/** The end of the complete messages, and the length of the next message as far as it is known. */
const wholeOf = (bytes: Uint8Array, isStarted: boolean): { at: number; next: number; ends: boolean } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (true) {
    // The first message is the startup message, which has no type byte before its length.
    const header = isStarted || at > 0 ? 1 : 0
    if (header === 1 && bytes[at] === terminate) return { at, next: 0, ends: true }
    if (bytes.length < at + header + 4) return { at, next: header + 4, ends: false }
    const next = header + view.getInt32(at + header)
    if (bytes.length < at + next) return { at, next, ends: false }
    if (header === 0 && next === 16 && view.getInt32(4) === cancel) return { at, next: 0, ends: true }
    at += next
  }
}

const terminate = "X".charCodeAt(0)

/** The number of a cancel request, in place of the protocol version. */
const cancel = 80_877_102
