import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { LeaseLost } from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Contract from "../../core/testing/contract/Contract.ts"
import * as StoreContract from "../../core/testing/contract/StoreContract.ts"
import * as SteppingClock from "../../core/testing/SteppingClock.ts"
import * as Weeks from "../../core/testing/Weeks.ts"
import { mutants } from "../simulation/mutants.ts"

const hour = 3_600_000

/** Wakes every hour, without end. */
const hourly = (woken: Array<number>) =>
  Effect.forever(
    Effect.sleep("1 hour").pipe(
      Effect.andThen(Clock.currentTimeMillis),
      Effect.tap((at) => Effect.sync(() => woken.push(at / hour)))
    )
  )

describe("the contract of the stores", () => {
  it.effect("is kept by the stores in memory, and names what a faulty store breaks", () =>
    Effect.gen(function* () {
      const sound = yield* Contract.broken(StoreContract.promises, (keeps) => Effect.provide(keeps, Memory.layer))
      assert.deepStrictEqual(sound, [])
      const faulty = Layer.effect(
        RunStore,
        Effect.map(RunStore, (store) =>
          RunStore.of({ ...store, settle: ({ id }) => Effect.fail(new LeaseLost({ sessionId: id, fence: 0 })) })
        )
      ).pipe(Layer.provideMerge(Memory.layer))
      const broken = yield* Contract.broken(StoreContract.promises, (keeps) => Effect.provide(keeps, faulty))
      const titles = broken.map(({ title }) => title)
      assert.include(titles, "accept what the holder of a lease brings, and refuse it from any other")
      assert.notInclude(titles, "change nothing when a decision fails")
      for (const { reason } of broken) assert.match(reason, /LeaseLost/)
    })
  )
})

describe("the stepping clock", () => {
  it.live("misses no timer of a fiber that sets one after the other", () =>
    Effect.gen(function* () {
      const time = SteppingClock.make(0)
      const woken: Array<number> = []
      const fiber = yield* Effect.forkChild(Effect.provideService(hourly(woken), Clock.Clock, time.clock))
      yield* time.advance(5 * hour + 1)
      assert.deepStrictEqual(woken, [1, 2, 3, 4, 5])
      assert.strictEqual(time.now(), 5 * hour + 1)
      yield* Fiber.interrupt(fiber)
    })
  )
})

describe("a simulated program", () => {
  it("passes four weeks at once, with every timer", () => {
    const woken: Array<number> = []
    const { at, exit, timers } = SteppingClock.simulate(hourly(woken), { from: 0, until: 672 * hour })
    assert.deepStrictEqual({ at, exit, timers }, { at: 672 * hour, exit: null, timers: 672 })
    assert.deepStrictEqual(woken.at(-1), 672)
  })

  it("answers how the program ended, and when", () => {
    const ends = Effect.as(Effect.sleep("2 hours"), "done")
    const { at, exit } = SteppingClock.simulate(ends, { from: hour, until: 9 * hour })
    assert.strictEqual(at, 3 * hour)
    assert.deepInclude(exit, { _tag: "Success", value: "done" })
  })
})

describe("simulated weeks", () => {
  it("break no promise on the stores in memory, and show the shortest part that breaks one", () => {
    const sound = Weeks.simulate(Memory.layer, { weeks: 2, actions: 20 })
    assert.deepStrictEqual(sound.broken, [])
    assert.isAbove(sound.attempts, 0)
    const mutant = mutants["the event of an end is lost"]
    const { broken } = Weeks.simulate(mutant?.stores ?? Memory.layer, { weeks: 1, actions: 8 })
    assert.deepStrictEqual(
      broken.map(({ seed, shortest }) => [seed, shortest.steps.map(({ _tag }) => _tag)]),
      [[1, ["submit"]]]
    )
  })
})
