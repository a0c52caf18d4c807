/**
 * Waiting for events, by the clock of the machine also where a test has its own. What never comes fails, with its name and
 * what could be seen instead.
 */
import { inspect } from "node:util"
import { Effect } from "effect"
import { hangMillis } from "./limits.ts"

/** Waits for an effect to end. `look` shows what there is to see when it hangs. */
export const awaited = <A, E, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  look: () => unknown = () => "nothing",
  limitMillis = hangMillis
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.flatMap(pause(limitMillis), () =>
      Effect.die(new Error(`waited ${limitMillis / 1_000} s for ${what}; last seen: ${shown(look())}`))
    )
  )

/** Looks again and again until it sees what is wanted, and succeeds with that. */
export const until: {
  <A, B extends A, E, R>(
    what: string,
    look: Effect.Effect<A, E, R>,
    isWanted: (seen: A) => seen is B,
    limitMillis?: number
  ): Effect.Effect<B, E, R>
  <A, E, R>(
    what: string,
    look: Effect.Effect<A, E, R>,
    isWanted: (seen: A) => boolean,
    limitMillis?: number
  ): Effect.Effect<A, E, R>
} = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  isWanted: (seen: A) => boolean,
  limitMillis = hangMillis
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown = "nothing"
    const looks = Effect.gen(function* () {
      // What is soon there is soon seen.
      for (let looked = 0; ; looked++) {
        const seen = yield* look
        if (isWanted(seen)) return seen
        last = seen
        yield* pause(Math.min(looked, 20))
      }
    })
    return awaited(what, looks, () => last, limitMillis)
  })

const pause = (millis: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

const mostShown = 8_000

/** The end of a long text is what came last. */
const shown = (seen: unknown): string => {
  const text = typeof seen === "string" ? seen : inspect(seen, { depth: 8, breakLength: 120 })
  return text.length > mostShown ? `…${text.slice(-mostShown)}` : text
}
