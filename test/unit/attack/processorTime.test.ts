/** The bounds of processor time that other tests check find what exceeds them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { leastMillis, slowdown, usedMillis } from "../../support/processorTime.ts"
import * as Watchdog from "../../support/watchdog.ts"

/** Works for so many milliseconds of processor time. */
const busyFor = (millis: number) => (): void => {
  const began = usedMillis()
  while (usedMillis() - began < millis);
}

describe("a bound of processor time", () => {
  it("finds work over it, however slow the machine is", () => {
    assert.isAtLeast(leastMillis(20, busyFor(120), 3), 20)
  })

  it("repeats only work over it", () => {
    let rounds = 0
    const count = (work: () => void) => () => {
      rounds++
      work()
    }
    assert.isBelow(leastMillis(1_000, count(busyFor(10))), 1_000)
    assert.strictEqual(rounds, 1)
    rounds = 0
    leastMillis(20, count(busyFor(120)), 3)
    assert.strictEqual(rounds, 3)
  })

  it("excludes what only one round takes", () => {
    let round = 0
    assert.isBelow(
      leastMillis(20, () => busyFor(round++ === 0 ? 120 : 1)()),
      20
    )
  })

  it("is at most four times as high on a slow machine, and never lower than stated", () => {
    const factor = slowdown()
    assert.isAtLeast(factor, 1)
    assert.isAtMost(factor, 4)
  })

  it.live("finds a turn that holds the event loop", () =>
    Effect.gen(function* () {
      const held = yield* Watchdog.least(20, Effect.sync(busyFor(120)), 2)
      assert.isAtLeast(held.heldMillis, 20)
      const free = yield* Watchdog.least(20, Effect.as(Effect.yieldNow, "done"), 2)
      assert.isBelow(free.heldMillis, 20)
      assert.strictEqual(free.value, "done")
    })
  )
})
