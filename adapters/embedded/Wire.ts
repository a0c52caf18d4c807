/**
 * A connection to an embedded database as a stream of the PostgreSQL protocol, so that clients use it like a server.
 */
import { Duplex } from "node:stream"

export interface Connection {
  /** Sends a piece of what the client writes; the piece is not used afterwards. */
  readonly send: (bytes: Uint8Array<ArrayBuffer>) => void
  /** Reports to the database that the client has left. */
  readonly leave: () => void
}

export interface Wire {
  /** The client's end. */
  readonly stream: Duplex
  /** Gives the client a piece of an answer. */
  readonly answer: (bytes: Uint8Array<ArrayBuffer>) => void
}

/** The number of bytes that are read in one turn of the event loop: the client decodes them at once. */
const turnBytes = 524_288

/** Makes a stream of a connection. */
export const make = ({ leave, send }: Connection): Wire => {
  /** The pieces for later turns. */
  const waiting: Array<Uint8Array<ArrayBuffer>> = []
  let bytesInTurn = 0

  const stream = new Duplex({
    read: () => {},
    write: (chunk: Uint8Array, _encoding, done) => {
      // A copy: what is sent later, to a database that is starting again, must not change until then.
      send(new Uint8Array(chunk))
      done()
    },
    destroy: (error, done) => {
      waiting.length = 0
      leave()
      done(error)
    }
  })

  const push = (bytes: Uint8Array<ArrayBuffer>): void => {
    bytesInTurn += bytes.length
    if (bytesInTurn >= turnBytes) setImmediate(continueInTurn)
    stream.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  const continueInTurn = (): void => {
    bytesInTurn = 0
    while (bytesInTurn < turnBytes) {
      const next = waiting.shift()
      if (next === undefined) return
      push(next)
    }
  }

  const answer = (bytes: Uint8Array<ArrayBuffer>): void => {
    if (stream.destroyed) return
    if (bytesInTurn >= turnBytes) waiting.push(bytes)
    else push(bytes)
  }

  return { stream, answer }
}
