/**
 * Passes the time of a test while something continues that waits for it.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Lets what does not depend on the clock, such as cryptography, come to its end. */
const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
})

/** Lets an effect go on for as long as it takes. */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) yield* Effect.andThen(settled, TestClock.adjust("100 millis"))
    return yield* Fiber.join(fiber)
  })
