import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { ClockSkew } from "../../../core/runtime/ClockSkew.ts"
import * as Lease from "../../../core/runtime/Lease.ts"

const leaseMillis = 30_000

/** Work that waits to be claimed, and what became of it. */
const desk = Effect.gen(function* () {
  const waiting = yield* Ref.make<ReadonlyArray<Lease.LeaseRef<string>>>([])
  const lost = yield* Ref.make<ReadonlyArray<Lease.LeaseRef<string>>>([])
  const renewals = yield* Ref.make(0)
  const ends = new Map<string, Deferred.Deferred<void>>()
  const log: Array<string> = []
  const options = (capacity: number): Lease.Options<string, Lease.LeaseRef<string>, never> => ({
    what: "parcels",
    capacity: Effect.succeed(capacity),
    leaseMillis,
    claim: (limit) => Ref.modify(waiting, (all) => [all.slice(0, limit), all.slice(limit)]),
    leaseOf: (one) => one,
    renew: (refs) =>
      Effect.andThen(
        Ref.update(renewals, (count) => count + 1),
        Effect.map(Ref.get(lost), (gone) => refs.filter((ref) => gone.includes(ref)))
      ),
    carryOut: ({ id }) =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        ends.set(id, end)
        log.push(`begin ${id}`)
        yield* Deferred.await(end).pipe(Effect.onInterrupt(() => Effect.sync(() => void log.push(`interrupt ${id}`))))
        log.push(`end ${id}`)
      }),
    drain: () => Effect.void
  })
  const finish = (id: string) => Deferred.succeed(ends.get(id) as Deferred.Deferred<void>, undefined)
  return { finish, log, lost, options, renewals, waiting }
})

const parcel = (id: string, fence = 1) => ({ id, fence })

const quiet = Effect.provide(Logger.layer([]))

it.effect("claims up to its capacity, and the next piece as soon as one has ended", () =>
  Effect.gen(function* () {
    const { finish, log, options, waiting } = yield* desk
    yield* Ref.set(waiting, [parcel("a"), parcel("b"), parcel("c")])
    const holder = yield* Lease.make(options(2))
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "begin b"])
    yield* finish("a")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "begin b", "end a", "begin c"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("claims the next piece while a result is stored, and holds at most three times its capacity", () =>
  Effect.gen(function* () {
    const { finish, log, options, waiting } = yield* desk
    const storing = options(1)
    yield* Ref.set(
      waiting,
      ["a", "b", "c", "d"].map((id) => parcel(id))
    )
    const holder = yield* Lease.make({
      ...storing,
      // Each has its result at once, and is stored when the test allows it.
      carryOut: (one, makeRoom) => Effect.andThen(makeRoom, storing.carryOut(one, makeRoom))
    })
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "begin b", "begin c"])
    yield* finish("b")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "begin b", "begin c", "end b", "begin d"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("looks for work once for a piece that makes room before its result is stored", () =>
  Effect.gen(function* () {
    const { finish, log, options, waiting } = yield* desk
    const storing = options(2)
    yield* Ref.set(waiting, [parcel("a")])
    let looks = 0
    const holder = yield* Lease.make({
      ...storing,
      claim: (limit) =>
        Effect.andThen(
          Effect.sync(() => void looks++),
          storing.claim(limit)
        ),
      carryOut: (one, makeRoom) => Effect.andThen(makeRoom, storing.carryOut(one, makeRoom))
    })
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(1)
    const looksForRoom = looks
    yield* finish("a")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "end a"])
    assert.deepStrictEqual([looksForRoom, looks], [2, 2])
  }).pipe(quiet, Effect.scoped)
)

it.effect("claims nothing while the clock of its machine is far from that of the store", () =>
  Effect.gen(function* () {
    const { log, options, waiting } = yield* desk
    yield* Ref.set(waiting, [parcel("a")])
    let millis = -5_001
    const holder = yield* Lease.make(options(1))
    yield* holder.run.pipe(Effect.provideService(ClockSkew, { millis: Effect.sync(() => millis) }), Effect.forkScoped)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(log, [])
    millis = -5_000
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(log, ["begin a"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("interrupts the work of a lease that was lost, at once when the lease is doubted", () =>
  Effect.gen(function* () {
    const { log, lost, options, waiting } = yield* desk
    const one = parcel("a")
    yield* Ref.set(waiting, [one])
    const holder = yield* Lease.make(options(1))
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(1)
    yield* Ref.set(lost, [one])
    yield* holder.doubt("another")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a"])
    yield* holder.doubt("a")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(log, ["begin a", "interrupt a"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("interrupts work before its lease runs out when the lease cannot be renewed", () =>
  Effect.gen(function* () {
    const { log, options, waiting } = yield* desk
    yield* Ref.set(waiting, [parcel("a")])
    const holder = yield* Lease.make({ ...options(1), renew: () => Effect.never })
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(leaseMillis - leaseMillis / 10)
    assert.deepStrictEqual(log, ["begin a"])
    yield* TestClock.adjust(leaseMillis / 10)
    assert.deepStrictEqual(log, ["begin a", "interrupt a"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("renews three times in the life of a lease", () =>
  Effect.gen(function* () {
    const { options, renewals, waiting } = yield* desk
    yield* Ref.set(waiting, [parcel("a")])
    const holder = yield* Lease.make(options(1))
    yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(leaseMillis)
    assert.strictEqual(yield* Ref.get(renewals), 3)
  }).pipe(quiet, Effect.scoped)
)

it.effect("gives what is held its grace when interrupted, and then interrupts the rest", () =>
  Effect.gen(function* () {
    const { finish, log, options, waiting } = yield* desk
    yield* Ref.set(waiting, [parcel("a"), parcel("b"), parcel("c")])
    const holder = yield* Lease.make({ ...options(2), drain: Effect.timeoutOption(5_000) })
    const fiber = yield* Effect.forkScoped(holder.run)
    yield* TestClock.adjust(1)
    const ended = yield* Effect.forkScoped(Fiber.interrupt(fiber))
    yield* TestClock.adjust(1)
    yield* finish("a")
    yield* TestClock.adjust(4_000)
    assert.deepStrictEqual(log, ["begin a", "begin b", "end a"])
    yield* TestClock.adjust(2_000)
    yield* Fiber.join(ended)
    assert.deepStrictEqual(log, ["begin a", "begin b", "end a", "interrupt b"])
  }).pipe(quiet, Effect.scoped)
)

it.effect("a process that holds no lease wakes for nothing but to look for work", () =>
  Effect.gen(function* () {
    const { finish, options, waiting } = yield* desk
    const clock = yield* Clock.Clock
    let slept = 0
    const counting: Clock.Clock = {
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) =>
        Effect.suspend(() => {
          slept++
          return clock.sleep(duration)
        })
    }
    const holder = yield* Lease.make(options(1))
    yield* holder.run.pipe(Effect.provideService(Clock.Clock, counting), Effect.forkScoped)
    yield* TestClock.adjust("1 hour")
    assert.isAtMost(slept, 361)

    slept = 0
    yield* Ref.set(waiting, [parcel("a")])
    yield* holder.look
    yield* TestClock.adjust("1 hour")
    // Each of three renewals in the life of a lease, the wait for its end, and the search for work.
    assert.isAtMost(slept, 3 * 362)
    yield* finish("a")
    yield* TestClock.adjust("1 minute")
    slept = 0
    yield* TestClock.adjust("1 hour")
    assert.isAtMost(slept, 361)
  }).pipe(quiet, Effect.scoped)
)
