/**
 * A connection to PGlite in this process, as a stream of the PostgreSQL protocol, so that a client of the protocol needs
 * no other code for the embedded database than for a server.
 */
import { Duplex } from "node:stream"
import type { PGlite } from "@electric-sql/pglite"

/**
 * Opens the single session of an embedded database. PGlite has only one, so the client's pool must have one connection.
 */
export const connect = (database: PGlite): Duplex => {
  let pending: Buffer = Buffer.alloc(0)
  let started = false
  const wire: Duplex = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      pending = Buffer.concat([pending, chunk])
      const { complete, terminate } = takeMessages()
      const answered =
        complete.length === 0
          ? Promise.resolve()
          : database.execProtocolRawStream(complete, {
              onRawData: (data) => void wire.push(Buffer.from(data))
            })
      answered.then(
        () => {
          if (terminate) wire.push(null)
          done()
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)))
      )
    }
  })

  /** Takes the whole messages that have arrived, and returns whether the client said farewell. */
  const takeMessages = (): { readonly complete: Buffer; readonly terminate: boolean } => {
    let end = 0
    while (true) {
      // The first message is the startup message, which has no type byte before its length.
      const header = started ? 1 : 0
      if (pending.length < end + header + 4) break
      const length = header + pending.readInt32BE(end + header)
      if (pending.length < end + length) break
      if (started && pending[end] === terminateByte) {
        const complete = pending.subarray(0, end)
        pending = Buffer.alloc(0)
        return { complete, terminate: true }
      }
      started = true
      end += length
    }
    const complete = pending.subarray(0, end)
    pending = pending.subarray(end)
    return { complete, terminate: false }
  }

  return wire
}

const terminateByte = "X".charCodeAt(0)
