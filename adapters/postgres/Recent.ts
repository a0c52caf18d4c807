/**
 * Remembers what was read from the database for one second, so that what every request asks is not read every time.
 */
import { Cache, Clock, Effect, Exit } from "effect"

const believedMillis = 1_000
const capacity = 10_000

export interface Recent<A, E> {
  /**
   * The value that was read under a key in the last second, or else the one that is read now; `undefined` is not
   * remembered.
   */
  readonly get: (key: string) => Effect.Effect<A | undefined, E>
  /** Forgets everything, also what is being read at this moment. */
  readonly forget: Effect.Effect<void>
}

export const make = <A, E>(read: (key: string) => Effect.Effect<A | undefined, E>): Effect.Effect<Recent<A, E>> =>
  Effect.map(
    Cache.makeWith(
      (key: string) => Effect.map(Effect.all([Clock.currentTimeMillis, read(key)]), ([at, value]) => ({ at, value })),
      {
        capacity,
        timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.value !== undefined ? believedMillis : 0)
      }
    ),
    (cache) => ({
      get: (key) =>
        Effect.gen(function* () {
          const known = yield* Cache.get(cache, key)
          if (known.at <= (yield* Clock.currentTimeMillis)) return known.value
          // The clock was set back since, so the entry would be believed for longer than it may.
          yield* Cache.invalidate(cache, key)
          return (yield* Cache.get(cache, key)).value
        }),
      forget: Cache.invalidateAll(cache)
    })
  )
