/**
 * Remembers what was read from the database for one second, so that what every request asks is not read every time.
 */
import { Clock, Effect } from "effect"

const believedMillis = 1_000
const maxEntries = 10_000

export interface Recent<A> {
  /** What was read under a key in the last second, or else what `read` answers now; `undefined` is not remembered. */
  readonly get: <E, R>(key: string, read: Effect.Effect<A | undefined, E, R>) => Effect.Effect<A | undefined, E, R>
  /** Forgets everything, also what is being read at this moment. */
  readonly forget: Effect.Effect<void>
}

export const make = <A>(): Recent<A> => {
  const entries = new Map<string, { readonly value: A; readonly until: number }>()
  let revision = 0
  return {
    get: (key, read) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = entries.get(key)
        if (known !== undefined && now < known.until && known.until <= now + believedMillis) {
          return Effect.succeed(known.value)
        }
        const began = revision
        return Effect.map(read, (value) => {
          if (entries.size >= maxEntries) entries.clear()
          if (value !== undefined && began === revision) entries.set(key, { value, until: now + believedMillis })
          return value
        })
      }),
    forget: Effect.sync(() => {
      revision++
      entries.clear()
    })
  }
}
