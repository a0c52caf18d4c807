/** The least of several measurements of the same work. */
import { Effect } from "effect"

/**
 * Measures until a measurement is below the bound, at most three times, and returns the least. A busy machine may delay
 * one of them; what the work itself waits for is in each.
 */
export const leastOf = <E, R>(bound: number, measure: Effect.Effect<number, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3 && least >= bound; round++) least = Math.min(least, yield* measure)
    return least
  })

/** The time that a work takes, in milliseconds. */
export const millisOf = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    const began = performance.now()
    yield* work
    return performance.now() - began
  })
