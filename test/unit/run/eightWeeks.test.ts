import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import * as SteppingClock from "../../kit/clocks/SteppingClock.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"

const weeks = 8
const hours = weeks * 7 * 24
const started = Date.parse("2026-01-05T00:30:00Z")

/** Nights in Berlin: a run that is submitted by day waits for the evening. */
const nights = {
  time_zone: "Europe/Berlin",
  regular_hours: (["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const).map(
    (active_start_day, index, days) => ({
      active_start_day,
      active_start_time: { hours: 18 },
      active_end_day: days[(index + 1) % days.length] ?? "MONDAY",
      active_end_time: { hours: 6 }
    })
  )
}

/** A clock that counts the timers that are set. */
const counting = (clock: Clock.Clock) => {
  const counted = { timers: 0 }
  const sleep = (duration: Duration.Duration) => {
    counted.timers++
    return clock.sleep(duration)
  }
  return { counted, clock: new Proxy(clock, { get: (of, name) => (name === "sleep" ? sleep : Reflect.get(of, name)) }) }
}

const services = Layer.mergeAll(Gates.layer, Crypto.layer).pipe(Layer.provideMerge(Memory.layer))

/** Eight weeks with a run each hour, which takes 30 seconds; how many ended, began outside of the window, and timers. */
const simulated = (inner: Clock.Clock, advance: (millis: number) => Effect.Effect<void>) => {
  const { clock, counted } = counting(inner)
  let ended = 0
  let early = 0
  const executor = Executor.of({
    execute: () =>
      Effect.gen(function* () {
        const hour = new Date(yield* Clock.currentTimeMillis).getUTCHours()
        // The night of Berlin in winter, by UTC.
        if (hour >= 5 && hour < 17) early++
        yield* Effect.sleep("30 seconds")
        ended++
        return { _tag: "Success" as const, data: {} }
      })
  })
  return Effect.gen(function* () {
    const polling = { longestSleepMillis: Duration.toMillis("7 days") }
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    yield* (yield* Gates).setWindow(caller, workflow.workflow.id, nights)
    yield* Effect.forkScoped(Scheduler.run(polling))
    yield* Effect.forkScoped(
      Worker.run({ name: "w", capacity: 4, leaseMillis: 120_000, graceMillis: 0, ...polling }).pipe(
        Effect.provideService(Executor, executor)
      )
    )
    const submitting = Effect.gen(function* () {
      for (let hour = 0; hour < hours; hour++) {
        yield* (yield* RunStore).submit(submission(workflow))
        yield* (yield* Signals).publish({ _tag: "work" })
        yield* Effect.sleep("1 hour")
      }
    })
    yield* Effect.forkScoped(submitting)
    yield* Effect.yieldNow
    // The turns that a moved clock gives to others are no timers of theirs.
    yield* Effect.provideService(advance((hours + 24) * 3_600_000), Clock.Clock, inner)
    return { ended, early, timers: counted.timers }
  }).pipe(
    Effect.scoped,
    Effect.provide([Layer.fresh(services), Logger.layer([])]),
    Effect.provideService(Clock.Clock, clock)
  )
}

const expected = ({ early, ended, timers }: Effect.Success<ReturnType<typeof simulated>>) => {
  assert.deepStrictEqual([ended, early], [hours, 0])
  assert.isAtMost(timers / hours, 20)
}

describe("eight weeks with 1,344 runs take at most 20 timers a run", () => {
  it.effect("by the clock for tests of Effect", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(started)
      expected(yield* simulated(yield* Clock.Clock, (millis) => TestClock.adjust(millis)))
    })
  )

  it.live("by the stepping clock", () => {
    const time = SteppingClock.make(started)
    return Effect.map(simulated(time.clock, time.advance), expected)
  })
})
