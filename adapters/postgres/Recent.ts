/** Caches values from the database for one second, so that values needed by every request are not read each time. */
import { Cache, Clock, Effect, Exit, Option } from "effect"
import { isInTransaction } from "./Transaction.ts"

const believedMillis = 1_000
const capacity = 10_000

export interface Recent<A, E> {
  /**
   * The value that was read under a key in the last second, or else the one that is read now; `undefined` is not
   * remembered. Outside of transactions, one read serves all that ask for it meanwhile.
   */
  readonly get: (key: string) => Effect.Effect<A | undefined, E>
  /** Clears the cache, including reads in progress. */
  readonly forget: Effect.Effect<void>
}

export const make = <A, E>(read: (key: string) => Effect.Effect<A | undefined, E>): Effect.Effect<Recent<A, E>> =>
  Effect.gen(function* () {
    const readNow = (key: string) =>
      Effect.map(Effect.all([Clock.currentTimeMillis, read(key)]), ([at, value]) => ({ at, value }))
    const cache = yield* Cache.makeWith(readNow, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.value !== undefined ? believedMillis : 0)
    })
    let timesForgotten = 0
    /** A read in progress may wait for a connection that transactions hold, so a transaction does not wait for it. */
    const getInTransaction = Effect.fnUntraced(function* (key: string) {
      const known = Option.getOrNull(yield* Cache.getSuccess(cache, key))
      if (known !== null && known.at <= (yield* Clock.currentTimeMillis)) return known.value
      const forgotten = timesForgotten
      const entry = yield* readNow(key)
      if (forgotten === timesForgotten) yield* Cache.set(cache, key, entry)
      return entry.value
    })
    const getShared = Effect.fnUntraced(function* (key: string) {
      const known = yield* Cache.get(cache, key)
      if (known.at <= (yield* Clock.currentTimeMillis)) return known.value
      // The clock was set back since, so the entry would be believed for longer than it may.
      yield* Cache.invalidate(cache, key)
      return (yield* Cache.get(cache, key)).value
    })
    return {
      get: (key) => Effect.flatMap(isInTransaction, (isInside) => (isInside ? getInTransaction : getShared)(key)),
      forget: Effect.suspend(() => {
        timesForgotten++
        return Cache.invalidateAll(cache)
      })
    }
  })
