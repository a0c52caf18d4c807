import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option, Schema } from "effect"
import { TimeSteps } from "../../core/vault/otp/TimeSteps.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"

/** The promises of every implementation of the store of used time steps. */
const suite = <E>(name: string, layer: Layer.Layer<TimeSteps | WorkspaceStore, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`used time steps (${name})`, (it) => {
    it.effect("are given out once, in their order, and not beyond the last that is wanted", () =>
      Effect.gen(function* () {
        const steps = yield* TimeSteps
        const [key, other] = [randomUUID(), randomUUID()]
        const reserve = (from: number, latest: number, of = key) =>
          Effect.map(steps.reserve(of, { from, latest }, 30_000), Option.getOrNull)
        assert.strictEqual(yield* reserve(100, 102), 100)
        assert.strictEqual(yield* reserve(100, 102), 101)
        assert.strictEqual(yield* reserve(99, 102), 102)
        assert.strictEqual(yield* reserve(100, 102), null)
        assert.strictEqual(yield* reserve(100, 103), 103)
        assert.strictEqual(yield* reserve(100, 102, other), 100)
        assert.strictEqual(yield* reserve(2 ** 33, 2 ** 33), 2 ** 33)
        assert.strictEqual(yield* reserve(7, 6, randomUUID()), null)
      })
    )

    it.effect("are marked by every use, which never brings an earlier one back", () =>
      Effect.gen(function* () {
        const steps = yield* TimeSteps
        const key = randomUUID()
        for (const step of [50, 40, 50]) yield* steps.mark(key, step, 30_000)
        assert.deepStrictEqual(yield* steps.reserve(key, { from: 40, latest: 60 }, 30_000), Option.some(51))
        yield* steps.mark(key, 60, 30_000)
        assert.deepStrictEqual(yield* steps.reserve(key, { from: 52, latest: 60 }, 30_000), Option.none())
      })
    )

    it.effect("are forgotten once they are over", () =>
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
    )

    const asking = Schema.Struct({
      from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
      more: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
    })

    it.effect.prop(
      "are never given to two of many workers that ask at once",
      [Schema.Array(asking).check(Schema.isMinLength(2), Schema.isMaxLength(40))],
      ([wishes]) =>
        Effect.gen(function* () {
          const steps = yield* TimeSteps
          const key = randomUUID()
          const given = yield* Effect.forEach(
            wishes,
            ({ from, more }) =>
              Effect.map(steps.reserve(key, { from, latest: from + more }, 30_000), (step) => ({ from, more, step })),
            { concurrency: "unbounded" }
          )
          const reserved = given.flatMap(({ step }) => Option.toArray(step))
          assert.strictEqual(new Set(reserved).size, reserved.length)
          for (const { from, more, step } of given) {
            if (Option.isSome(step)) assert.isTrue(step.value >= from && step.value <= from + more)
          }
        }),
      { arbitrary: { runs: 30 } }
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
