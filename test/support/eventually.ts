/**
 * Advances the clock of a test while an effect waits for it.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { awaited } from "./waiting.ts"

/** Lets work that does not depend on the clock, such as cryptography, finish. */
const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
})

/** Advances the clock until an effect ends. */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) yield* Effect.andThen(settled, TestClock.adjust("100 millis"))
    return yield* Fiber.join(fiber)
  }).pipe((ending) => awaited("an effect on the clock of the test", ending))
