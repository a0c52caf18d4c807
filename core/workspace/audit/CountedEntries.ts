/**
 * Audit entries of what strangers can repeat at will, so that a flood does not fill the trail: the first under a name is recorded
 * at once, and those after it are counted and recorded once a minute together.
 *
 * Every process counts separately; what it has not recorded when it ends is lost.
 */
import { Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { outage } from "../../runtime/Supervisor.ts"

/** How long occurrences under a name are counted before they are recorded, in milliseconds. */
export const countedMillis = 60_000

/** Maximum number of names that are counted apart. */
export const mostNames = 100

/** Makes a function that records or counts an occurrence under a name, or beyond `mostNames` under that of its `others`. */
export const make = (
  record: (name: string, count: number) => Effect.Effect<void, StoreUnavailable>,
  /** What is counted, for the log. */
  what: string
): Effect.Effect<(name: string, others: string) => Effect.Effect<void, StoreUnavailable>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    /** How often each name occurred since its last entry. */
    const counts = new Map<string, number>()

    /** Records what occurs in each minute, until nothing does. */
    const count = Effect.fnUntraced(function* (name: string) {
      yield* Effect.sleep(countedMillis)
      for (let times = counts.get(name) ?? 0; times > 0; times = counts.get(name) ?? 0) {
        yield* record(name, times).pipe(
          Effect.andThen(Effect.sync(() => counts.set(name, (counts.get(name) ?? 0) - times))),
          // They are recorded with those of the next minute.
          Effect.catch(({ message }) => outage(message, what))
        )
        yield* Effect.sleep(countedMillis)
      }
      counts.delete(name)
    })

    return Effect.fnUntraced(function* (wanted: string, others: string) {
      const name = counts.has(wanted) || counts.size < mostNames ? wanted : others
      const known = counts.get(name)
      counts.set(name, known === undefined ? 0 : known + 1)
      if (known !== undefined) return
      yield* Effect.forkIn(count(name), scope)
      yield* record(name, 1)
    })
  })
