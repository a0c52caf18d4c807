/**
 * The orderly end of the server: first it says that it is not ready, so that no new clients are sent to it, while it still
 * serves those that come; then its endless answers end, and then it closes.
 */
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
 * For how long endless answers go on at least when the server is released, in milliseconds: what carried out runs in this
 * process has been released before, and their last events are on the way.
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
