/**
 * A clock that moves from timer to timer, so that none is missed, including timers that fibers set when they wake.
 *
 * **Example** (Three hours of work that takes an hour each)
 *
 * ```ts
 * import { Clock, Effect, Fiber } from "effect"
 * import * as SteppingClock from "@sluice/testing/clock"
 *
 * const time = SteppingClock.make(Date.parse("2026-01-12T00:00:00Z"))
 * const seen: Array<string> = []
 * const work = Effect.gen(function* () {
 *   for (;;) {
 *     yield* Effect.sleep("1 hour")
 *     seen.push(new Date(yield* Clock.currentTimeMillis).toISOString().slice(11, 16))
 *   }
 * })
 * const fiber = Effect.runFork(Effect.provideService(work, Clock.Clock, time.clock))
 * await Effect.runPromise(time.advance(3 * 3_600_000))
 * await Effect.runPromise(Fiber.interrupt(fiber))
 *
 * seen // => ["01:00", "02:00", "03:00"]
 * ```
 */
import { Clock, Effect, type Exit, Fiber } from "effect"
import * as VirtualTime from "../simulation/VirtualTime.ts"
import * as ManualTime from "./ManualTime.ts"

export interface SteppingClock {
  /** The clock for the programs that are tested. */
  readonly clock: Clock.Clock
  /** The current time, in epoch milliseconds. */
  readonly now: () => number
  /**
   * Moves to an instant, in epoch milliseconds, by way of every timer until then. Each goes off at its own instant, and
   * fibers have their turns before the next one: those that wait for this clock alone miss no timer. An instant that has
   * passed changes the time shown, and wakes no fiber.
   */
  readonly set: (to: number) => Effect.Effect<void>
  /** Moves by a number of milliseconds, as `set` does. */
  readonly advance: (millis: number) => Effect.Effect<void>
}

/** How often other fibers have their turns after a timer: as many steps as a woken fiber may take to its next timer. */
const turns = 64

const giveTurns = Effect.repeat(Effect.yieldNow, { times: turns - 1 })

/** Makes a clock that shows `at`, in epoch milliseconds. */
export const make = (at: number): SteppingClock => {
  const { clock, firstBy, now, show, wake } = ManualTime.make(at)
  const set = Effect.fnUntraced(function* (to: number) {
    yield* giveTurns
    for (let due = firstBy(to); due !== null; due = firstBy(to)) {
      show(due.until)
      wake(due)
      yield* giveTurns
    }
    show(to)
  })
  return { clock, now, set, advance: (millis) => Effect.suspend(() => set(now() + millis)) }
}

/** The result of a program in simulated time. */
export interface Simulated<A, E> {
  /** How the program ended; `null` when it had not ended by then. */
  readonly exit: Exit.Exit<A, E> | null
  /** The instant at which it ended, or at which the simulation did, in epoch milliseconds. */
  readonly at: number
  /** The number of timers that went off. */
  readonly timers: number
}

/**
 * Runs a program from one instant to another, in as much time as its work takes: hours in which it waits pass at once.
 * Its fibers take turns in one fixed order, and every timer goes off at its instant, so it does the same each time. Only
 * for programs that wait for nothing but the clock and each other. A program that has not ended by then is interrupted.
 */
export const simulate = <A, E>(
  program: Effect.Effect<A, E>,
  { from, until }: { readonly from: number; readonly until: number }
): Simulated<A, E> => {
  const time = VirtualTime.make(from)
  const fiber = Effect.runFork(Effect.provideService(program, Clock.Clock, time.clockOf(VirtualTime.exact)), {
    scheduler: time.scheduler
  })
  time.settle()
  let timers = 0
  for (; fiber.pollUnsafe() === undefined && time.next("any") <= until; timers++) time.step()
  const exit = fiber.pollUnsafe() ?? null
  if (exit !== null) return { exit, at: time.now(), timers }
  Effect.runFork(Fiber.interrupt(fiber), { scheduler: time.scheduler })
  time.settle()
  return { exit: null, at: until, timers }
}
