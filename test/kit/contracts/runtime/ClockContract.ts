/**
 * The promises of a clock that a test moves, whatever it is made of.
 */
import { Clock, Context, Effect, Fiber } from "effect"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** A clock, and how it is moved. */
export class MovedClock extends Context.Service<
  MovedClock,
  {
    readonly clock: Clock.Clock
    /** Moves by a number of milliseconds, and ends when the fibers that were woken wait again. */
    readonly advance: (millis: number) => Effect.Effect<void>
  }
>()("sluice/test/kit/MovedClock") {}

/** A promise, with fibers on the clock. `advance` first lets them lie down. */
const promise = <A, E>(
  title: string,
  test: (given: {
    readonly advance: (millis: number) => Effect.Effect<void>
    readonly start: number
    /** Starts a fiber on the clock. */
    readonly fork: <B, F>(program: Effect.Effect<B, F>) => Effect.Effect<Fiber.Fiber<B, F>>
  }) => Effect.Effect<A, E>
) =>
  Contract.promise(
    title,
    Effect.gen(function* () {
      const { advance, clock } = yield* MovedClock
      const running: Array<Fiber.Fiber<unknown, unknown>> = []
      const fork = <B, F>(program: Effect.Effect<B, F>) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(Effect.provideService(program, Clock.Clock, clock))
          running.push(fiber)
          yield* Effect.yieldNow
          return fiber
        })
      return yield* test({ advance, start: clock.currentTimeMillisUnsafe(), fork }).pipe(
        Effect.ensuring(Effect.suspend(() => Fiber.interruptAll(running)))
      )
    })
  )

/** Sleeps, and notes after how many milliseconds from the start it was woken. */
const noting = (woken: Array<number>, start: number, millis: number) =>
  Effect.sleep(millis).pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => Effect.sync(() => woken.push(now - start)))
  )

/** What every clock that a test moves promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<MovedClock>> = [
  promise("show one instant in milliseconds and in nanoseconds, and move both", ({ advance, fork, start }) =>
    Effect.gen(function* () {
      yield* advance(1_500)
      const read = yield* fork(Effect.all([Clock.currentTimeMillis, Clock.currentTimeNanos]))
      const [millis, nanos] = yield* Fiber.join(read)
      assert.strictEqual(millis, start + 1_500)
      assert.strictEqual(Number(nanos / 1_000_000n), millis)
    })
  ),
  promise("wake a sleeper at its instant, and not a millisecond before", ({ advance, fork, start }) =>
    Effect.gen(function* () {
      const woken: Array<number> = []
      yield* fork(noting(woken, start, 3_600_000))
      yield* advance(3_599_999)
      assert.deepStrictEqual(woken, [])
      yield* advance(1)
      assert.deepStrictEqual(woken, [3_600_000])
    })
  ),
  promise("wake sleepers in the order of their instants, each at its own", ({ advance, fork, start }) =>
    Effect.gen(function* () {
      const woken: Array<number> = []
      for (const millis of [30, 10, 20, 10]) yield* fork(noting(woken, start, millis))
      yield* advance(100)
      assert.deepStrictEqual(woken, [10, 10, 20, 30])
    })
  ),
  promise("miss no timer that a fiber sets after it was woken", ({ advance, fork, start }) =>
    Effect.gen(function* () {
      const woken: Array<number> = []
      yield* fork(Effect.forever(noting(woken, start, 60_000)))
      yield* advance(5 * 60_000)
      assert.deepStrictEqual(
        woken,
        [1, 2, 3, 4, 5].map((minutes) => minutes * 60_000)
      )
    })
  ),
  promise("never wake a sleeper that was interrupted", ({ advance, fork, start }) =>
    Effect.gen(function* () {
      const woken: Array<number> = []
      const fiber = yield* fork(noting(woken, start, 1_000))
      yield* Fiber.interrupt(fiber)
      yield* advance(2_000)
      assert.deepStrictEqual(woken, [])
    })
  )
]
