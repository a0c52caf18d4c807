import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Background from "../../../core/runtime/Background.ts"
import { retry, StoreUnavailable, waitUntilBack } from "../../../core/runtime/StoreUnavailable.ts"
import * as Supervisor from "../../../core/runtime/Supervisor.ts"

/** A loop whose rounds fail on request, the lines that it logs, and its supervisor. */
const looping = Effect.fnUntraced(function* (failing: Effect.Effect<void, StoreUnavailable>) {
  const lines: Array<string> = []
  const rounds = yield* Ref.make(0)
  const supervisor = Supervisor.make()
  const logger = Logger.make<unknown, void>(({ message }) => {
    lines.push(String(Array.isArray(message) ? message[0] : message))
  })
  const fiber = yield* Ref.update(rounds, (count) => count + 1).pipe(
    Effect.andThen(failing),
    Background.round("sort parcels"),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever,
    Effect.provideService(Supervisor.Supervisor, supervisor),
    Effect.provide(Logger.layer([logger])),
    Effect.forkScoped
  )
  return { fiber, lines, rounds, supervisor }
})

it.effect("a planted TypeError is logged once, its loop continues, and the process counts as unhealthy", () =>
  Effect.gen(function* () {
    const { fiber, lines, rounds, supervisor } = yield* looping(
      Effect.sync(() => {
        throw new TypeError("planted")
      })
    )
    yield* TestClock.adjust("6 seconds")
    assert.deepStrictEqual(yield* supervisor.unhealthy, [])
    yield* TestClock.adjust("14 seconds")
    assert.isAtLeast(yield* Ref.get(rounds), Supervisor.unhealthyAfter)
    assert.deepStrictEqual(yield* supervisor.unhealthy, ["sort parcels"])
    assert.deepStrictEqual(lines, ["Could not sort parcels because of an internal error; the loop is started again"])
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.scoped)
)

it.effect("a loop that succeeds again makes the process healthy again", () =>
  Effect.gen(function* () {
    let broken = true
    const { supervisor } = yield* looping(
      Effect.suspend(() => (broken ? Effect.die(new TypeError("planted")) : Effect.void))
    )
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(yield* supervisor.unhealthy, ["sort parcels"])
    broken = false
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual(yield* supervisor.unhealthy, [])
  }).pipe(Effect.scoped)
)

it.effect("an outage is logged every ten seconds at most, and leaves the process healthy", () =>
  Effect.gen(function* () {
    const { lines, rounds, supervisor } = yield* looping(
      Effect.fail(new StoreUnavailable({ reason: "connection refused" }))
    )
    yield* TestClock.adjust("25 seconds")
    assert.isAtLeast(yield* Ref.get(rounds), 10)
    assert.deepStrictEqual(
      lines,
      Array.from(
        { length: 3 },
        () => "Could not sort parcels: The database cannot be reached: connection refused. Trying again"
      )
    )
    assert.deepStrictEqual(yield* supervisor.unhealthy, [])
  }).pipe(Effect.scoped)
)

it.effect("each thing that is away is logged every ten seconds at most, beside the others", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    yield* Effect.gen(function* () {
      for (let second = 0; second < 12; second++) {
        yield* Supervisor.outage(`database ${second}`)
        yield* Supervisor.outage(`artifacts ${second}`, "artifacts")
        yield* TestClock.adjust("1 second")
      }
    }).pipe(Effect.provideService(Supervisor.Supervisor, Supervisor.make()), Effect.provide(Logger.layer([logger])))
    assert.deepStrictEqual(lines, ["database 0", "artifacts 0", "database 10", "artifacts 10"])
  })
)

/** Fails so often, and counts how often it was tried. */
const flaky = (failures: number, failure: Effect.Effect<never, StoreUnavailable>) => {
  let tried = 0
  return { effect: Effect.suspend(() => (++tried > failures ? Effect.succeed(tried) : failure)), tries: () => tried }
}

const away = Effect.fail(new StoreUnavailable({ reason: "away" }))

it.effect("a store that cannot be reached is tried again for a minute under a lease", () =>
  Effect.gen(function* () {
    const back = yield* Effect.forkChild(retry(flaky(3, away).effect))
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* Fiber.join(back), 4)
    const gone = yield* Effect.forkChild(Effect.flip(retry(flaky(Infinity, away).effect)))
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual((yield* Fiber.join(gone))._tag, "StoreUnavailable")
  })
)

it.effect("waiting for the store has no limit", () =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(waitUntilBack(flaky(100, away).effect))
    yield* TestClock.adjust("20 minutes")
    assert.strictEqual(yield* Fiber.join(waiting), 101)
  })
)

it.effect("a defect is never tried again", () =>
  Effect.gen(function* () {
    const broken = flaky(1, Effect.die(new TypeError("planted")))
    const exit = yield* Effect.exit(retry(broken.effect))
    assert.strictEqual(exit._tag, "Failure")
    assert.strictEqual(broken.tries(), 1)
  })
)
