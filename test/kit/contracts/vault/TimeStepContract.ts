/**
 * The promises of every store of the time steps whose codes were used: `TimeSteps`.
 *
 * They expect a store without time steps: give each promise a new store, or empty it before.
 */
import { Effect, Option } from "effect"
import { TimeSteps } from "../../../../core/vault/otp/TimeSteps.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { newId } from "../Fixtures.ts"

/** The port that the promises are about. */
export type Stores = TimeSteps

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`used time steps ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are given out once, in their order, and not beyond the last that is wanted", () =>
    Effect.gen(function* () {
      const steps = yield* TimeSteps
      const [key, other] = [yield* newId, yield* newId]
      const reserve = (from: number, latest: number, of = key) =>
        Effect.map(steps.reserve(of, { from, latest }, 30_000), Option.getOrNull)
      assert.strictEqual(yield* reserve(100, 102), 100)
      assert.strictEqual(yield* reserve(100, 102), 101)
      assert.strictEqual(yield* reserve(99, 102), 102)
      assert.strictEqual(yield* reserve(100, 102), null)
      assert.strictEqual(yield* reserve(100, 103), 103)
      assert.strictEqual(yield* reserve(100, 102, other), 100)
      assert.strictEqual(yield* reserve(2 ** 33, 2 ** 33), 2 ** 33)
      assert.strictEqual(yield* reserve(7, 6, yield* newId), null)
    })
  ),
  promise("are marked by every use, which never brings an earlier one back", () =>
    Effect.gen(function* () {
      const steps = yield* TimeSteps
      const key = yield* newId
      for (const step of [50, 40, 50]) yield* steps.mark(key, step, 30_000)
      assert.deepStrictEqual(yield* steps.reserve(key, { from: 40, latest: 60 }, 30_000), Option.some(51))
      yield* steps.mark(key, 60, 30_000)
      assert.deepStrictEqual(yield* steps.reserve(key, { from: 52, latest: 60 }, 30_000), Option.none())
    })
  ),
  promise("are forgotten once they are over", () =>
    Effect.gen(function* () {
      const steps = yield* TimeSteps
      yield* steps.forgetBefore(Number.MAX_SAFE_INTEGER / 2)
      yield* steps.reserve("a", { from: 1, latest: 9 }, 30_000)
      yield* steps.mark("b", 1, 60_000)
      assert.strictEqual(yield* steps.forgetBefore(60_000), 0)
      assert.strictEqual(yield* steps.forgetBefore(60_001), 1)
      assert.deepStrictEqual(yield* steps.reserve("b", { from: 1, latest: 9 }, 60_000), Option.some(2))
      assert.strictEqual(yield* steps.forgetBefore(180_001), 1)
    })
  ),
  promise("are never given to two of many workers that ask at once", () =>
    Effect.gen(function* () {
      const steps = yield* TimeSteps
      const key = yield* newId
      const wishes = Array.from({ length: 30 }, (_, index) => ({
        from: index % 6,
        latest: (index % 6) + ((index * 7) % 41)
      }))
      const given = yield* Effect.forEach(
        wishes,
        ({ from, latest }) =>
          Effect.map(steps.reserve(key, { from, latest }, 30_000), (step) => ({ from, latest, step })),
        { concurrency: "unbounded" }
      )
      const reserved = given.flatMap(({ step }) => Option.toArray(step))
      assert.strictEqual(new Set(reserved).size, reserved.length)
      assert.isAbove(reserved.length, 1)
      for (const { from, latest, step } of given) {
        if (Option.isSome(step)) assert.isTrue(step.value >= from && step.value <= latest)
      }
    })
  )
]
