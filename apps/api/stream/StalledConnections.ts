/**
 * Closes connections of clients that do not read.
 *
 * Bytes count as sent when they have left the process. The system still delivers sent bytes after the close, so an
 * answer is only cut off.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Clock, Effect } from "effect"

/** Default time without progress after which a connection is closed, in seconds. */
export const defaultSeconds = 30

/** The rate at which a slow client gets more time: as long as these bytes take at 32 KiB a second. */
const slowestBytesPerMilli = 32.768

/** How far the answers on a connection were when something last left. */
interface Progress {
  readonly sent: number
  readonly pending: number
  readonly at: number
}

/**
 * Watches the connections of a server for as long as the scope is open. A connection is closed if it has bytes to send
 * and no written piece has left whole for `seconds` and the time that the pending bytes take at 32 KiB a second.
 */
export const watch = (server: Server, seconds: number) =>
  Effect.gen(function* () {
    const connections = new Map<Socket, Progress>()
    const add = (socket: Socket) => {
      connections.set(socket, { sent: 0, pending: 0, at: 0 })
      socket.once("close", () => connections.delete(socket))
    }
    server.on("connection", add)
    yield* Effect.addFinalizer(() => Effect.sync(() => server.off("connection", add)))

    const look = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      let closed = 0
      for (const [socket, before] of connections) {
        const pending = socket.writableLength
        const sent = socket.bytesWritten - pending
        if (pending === 0 || before.pending === 0 || sent !== before.sent) {
          connections.set(socket, { sent, pending, at: now })
        } else if (now - before.at >= seconds * 1_000 + before.pending / slowestBytesPerMilli) {
          closed++
          socket.destroy()
        }
      }
      if (closed > 0) {
        yield* Effect.logInfo(`Closed ${closed} connections whose clients took nothing for ${seconds} seconds`)
      }
    })
    yield* Effect.sleep(seconds * 250).pipe(Effect.andThen(look), Effect.forever, Effect.forkScoped)
  })
