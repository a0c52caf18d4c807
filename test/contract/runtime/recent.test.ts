import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Recent from "../../../adapters/postgres/Recent.ts"

const counted = Effect.gen(function* () {
  const reads = yield* Ref.make(0)
  const recent = yield* Recent.make((key: string) =>
    Effect.flatMap(
      Ref.updateAndGet(reads, (n) => n + 1),
      (n) => (key === "down" ? Effect.fail("down") : Effect.succeed(key === "none" ? undefined : n))
    )
  )
  return { recent, reads }
})

it.effect("what was read is believed for a second", () =>
  Effect.gen(function* () {
    const { recent } = yield* counted
    assert.strictEqual(yield* recent.get("a"), 1)
    yield* TestClock.adjust(999)
    assert.strictEqual(yield* recent.get("a"), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* recent.get("a"), 2)
  })
)

it.effect("what is missing and what failed is read again", () =>
  Effect.gen(function* () {
    const { reads, recent } = yield* counted
    for (let n = 0; n < 2; n++) {
      assert.isUndefined(yield* recent.get("none"))
      assert.strictEqual(yield* Effect.flip(recent.get("down")), "down")
    }
    assert.strictEqual(yield* Ref.get(reads), 4)
  })
)

it.effect("a clock that is set back does not prolong what is believed", () =>
  Effect.gen(function* () {
    const { recent } = yield* counted
    yield* TestClock.setTime(3_600_000)
    assert.strictEqual(yield* recent.get("a"), 1)
    yield* TestClock.setTime(0)
    assert.strictEqual(yield* recent.get("a"), 2)
  })
)

it.effect("what is being read when everything is forgotten is not remembered", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const stored = yield* Ref.make("before")
    const recent = yield* Recent.make(() =>
      Effect.gen(function* () {
        // A database answers later, not while it is being asked.
        yield* Effect.yieldNow
        const value = yield* Ref.get(stored)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(gate)
        return value
      })
    )
    const first = yield* Effect.forkChild(recent.get("a"))
    yield* Deferred.await(begun)
    yield* Ref.set(stored, "after")
    yield* recent.forget
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(first), "before")
    assert.strictEqual(yield* recent.get("a"), "after")
  })
)
