/** Caches values from the database for one second, so that values needed by every request are not read each time. */
import { Cache, Clock, Effect, Exit } from "effect"

const believedMillis = 1_000
const capacity = 10_000

export interface Recent<A, E> {
  /**
   * The value that was read under a key in the last second, or else the one that is read now; `undefined` is not
   * remembered.
   */
  readonly get: (key: string) => Effect.Effect<A | undefined, E>
  /** Clears the cache, including reads in progress. */
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
