/**
 * The graceful shutdown of the server: it reports that it is not ready while it still serves requests; then its streams
 * end, and then it closes.
 */
import type { Server } from "node:http"
import { Clock, Context, Deferred, Effect, Layer } from "effect"

export class Closing extends Context.Service<
  Closing,
  {
    /** Makes the server report that it is not ready. It continues to serve. */
    readonly leave: Effect.Effect<void>
    /** The instant of that report, in epoch milliseconds; `null` before it. */
    readonly leftAt: Effect.Effect<number | null>
    /** Completes when the server begins to close, for answers that do not end automatically. */
    readonly begun: Effect.Effect<void>
    readonly begin: Effect.Effect<void>
  }
>()("sluice/apps/api/http/Closing") {
  static readonly layer = Layer.effect(
    Closing,
    Effect.map(Deferred.make<void>(), (begun) => {
      let leftAt: number | null = null
      return Closing.of({
        leave: Effect.map(Clock.currentTimeMillis, (now) => {
          leftAt ??= now
        }),
        leftAt: Effect.sync(() => leftAt),
        begun: Deferred.await(begun),
        begin: Effect.asVoid(Deferred.succeed(begun, undefined))
      })
    })
  )
}

/**
 * Minimum time for which streams continue after the release of the server, in milliseconds, so that they deliver the
 * last events of runs that ended before.
 */
const settlingMillis = 500

/**
 * Begins to close when it is released: when the grace since the server began to leave is over. Built on a server, it is
 * released before the server is.
 */
export const atRelease = (graceMillis: Effect.Effect<number>) =>
  Layer.effectDiscard(
    Effect.flatMap(Closing, ({ begin, leave, leftAt }) =>
      Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* leave
          const grace = yield* graceMillis
          const now = yield* Clock.currentTimeMillis
          const left = ((yield* leftAt) ?? now) + grace - now
          if (grace > 0) yield* Effect.sleep(Math.max(left, settlingMillis))
          yield* begin
        })
      )
    )
  )

/** Makes the server report that it is not ready when the process is asked to end, before anything is released. */
export const leaving = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Closing> =>
  Effect.onInterrupt(serving, () => Effect.flatMap(Closing, ({ leave }) => leave))

/** How many turns of the event loop nothing arrives before a server closes, and how many it waits for that at most. */
const quietTurns = 3
const mostTurns = 200

/**
 * Makes a server close only when it has read all received data.
 *
 * Requests to a busy process wait in the operating system, on new or idle connections. A server that closes would reset
 * these connections, and a proxy must not repeat a POST that may have been carried out.
 */
export const afterWhatArrived = (server: Server): void => {
  let arrived = 0
  const note = () => {
    arrived++
  }
  server.on("connection", note)
  server.on("request", note)
  const close = server.close.bind(server)
  server.close = (done) => {
    // A turn looks at what has arrived, and its immediates follow that.
    const look = (turn: number, seen: number, quiet: number): void => {
      if (quiet >= quietTurns || turn >= mostTurns) return void close(done)
      setImmediate(() => look(turn + 1, arrived, arrived === seen ? quiet + 1 : 0))
    }
    look(0, arrived, 0)
    return server
  }
}
