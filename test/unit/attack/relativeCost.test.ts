/** The bounds of relative cost that other tests check find what exceeds them, and only that. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HeldLoop from "../../support/heldLoop.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

const works = (count: number) => (): void => {
  for (let done = 0; done < count; done++) RelativeCost.fixedWork()
}

describe("a bound of relative cost", () => {
  it("finds work over it, in every round", () => {
    let rounds = 0
    const work = () => {
      rounds++
      works(12)()
    }
    assert.isAtLeast(RelativeCost.least(3, work, 2), 3)
    assert.strictEqual(rounds, 2)
  })

  it("repeats only work over it", () => {
    let rounds = 0
    assert.isBelow(
      RelativeCost.least(4, () => {
        rounds++
        works(1)()
      }),
      4
    )
    assert.strictEqual(rounds, 1)
  })

  it("excludes what only one round takes", () => {
    let round = 0
    const cost = RelativeCost.least(3, () => works(round++ === 0 ? 12 : 0)())
    assert.isBelow(cost, 3)
    assert.strictEqual(round, 2)
  })

  it.effect("finds an effect over it", () =>
    Effect.gen(function* () {
      assert.isAtLeast((yield* RelativeCost.leastOf(3, Effect.sync(works(12)), 2)).cost, 3)
      assert.isBelow((yield* RelativeCost.leastOf(3, Effect.void)).cost, 3)
    })
  )
})

describe("a watch of the event loop", () => {
  it.effect("finds a turn that holds it", () =>
    Effect.gen(function* () {
      const { cost, value } = yield* HeldLoop.least(Effect.as(Effect.sync(works(12)), "done"), 3, 2)
      assert.isAtLeast(cost, 3)
      assert.strictEqual(value, "done")
    })
  )

  it.effect("finds none where the same work is done in turns", () =>
    Effect.gen(function* () {
      const turns = Effect.promise(async () => {
        for (let turn = 0; turn < 12; turn++) {
          works(1)()
          await new Promise((resolve) => setTimeout(resolve))
        }
      })
      assert.isBelow((yield* HeldLoop.least(turns, 6)).cost, 6)
    })
  )
})
