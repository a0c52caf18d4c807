/**
 * How a process holds work by leases: it claims what there is room for, carries each piece out in a separate fiber, and
 * renews the leases while the fibers run.
 *
 * A process that dies loses its leases. One that cannot renew a lease interrupts the work before the lease runs out,
 * because another process may claim it from then on. The work of a lease that was lost is interrupted. A process whose
 * clock is far from that of the store claims nothing.
 */
import { Clock, Effect, FiberMap, Latch, type Scope } from "effect"
import * as Background from "./Background.ts"
import * as ClockSkew from "./ClockSkew.ts"
import * as Gauges from "./Gauges.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"
import * as Wake from "./Wake.ts"

/** The right to a piece of work. Of two leases of the same work the one with the higher fence is the later. */
export interface LeaseRef<Id extends string> {
  readonly id: Id
  readonly fence: number
}

export interface Options<Id extends string, Work, R> {
  /** The kind of work, for the log: `runs`. */
  readonly what: string
  /** The number of pieces that may be carried out at once now. It may fall below the number in progress. */
  readonly capacity: Effect.Effect<number, never, R>
  /** The duration of a lease that is not renewed, in milliseconds. It is renewed three times as often. */
  readonly leaseMillis: number
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<Work>, StoreUnavailable, R>
  readonly leaseOf: (work: Work) => LeaseRef<Id>
  /** Renews leases, and answers those that are lost. */
  readonly renew: (
    leases: ReadonlyArray<LeaseRef<Id>>
  ) => Effect.Effect<ReadonlyArray<LeaseRef<Id>>, StoreUnavailable, R>
  /**
   * Carries out a piece. `makeRoom` says that the rest only stores its result: its lease is still held and renewed, and
   * another piece may be claimed meanwhile.
   */
  readonly carryOut: (work: Work, makeRoom: Effect.Effect<void>) => Effect.Effect<void, never, R>
  /** Runs when the holder is interrupted while it has work, before the rest is interrupted as well. */
  readonly drain: (finished: Effect.Effect<void>) => Effect.Effect<unknown, never, R>
}

/** The holder of the leases of a process. */
export interface Holder<R> {
  /** Claims and renews until interrupted; then it drains, and completes when nothing is held any more. */
  readonly run: Effect.Effect<never, never, R>
  /** Looks for work that can be claimed now. */
  readonly look: Effect.Effect<void>
  /** Renews the leases now if the work is held here, because its lease may have been lost. */
  readonly doubt: (id: string) => Effect.Effect<void>
}

/**
 * How many leases are held at most, in multiples of the capacity: where results are stored more slowly than pieces are
 * carried out, the claims wait.
 */
const mostHeld = 3

/** The net under a lost signal: how long a process with room sleeps at most before it looks for work. */
const longestSleep = "10 seconds"

export const make = Effect.fnUntraced(function* <Id extends string, Work, R>(
  options: Options<Id, Work, R>
): Effect.fn.Return<Holder<R>, never, Scope.Scope> {
  const { leaseMillis, what } = options
  // By id and fence: work may come back while an attempt at it that has lost its lease is still being ended.
  const running = yield* FiberMap.make<string, void, never>()
  const leases = new Map<string, { readonly ref: LeaseRef<Id>; readonly until: number }>()
  /** The leases whose work takes room. */
  const busy = new Set<string>()
  /** Whether the last look at the store ended because there was no room for more, and not because there was no work. */
  let isFull = false
  const room = yield* Wake.make
  const doubts = yield* Wake.make
  /** Open while leases are held: a process without any has nothing to renew, and does not wake for it. */
  const held = yield* Latch.make()
  const tick = leaseMillis / 30

  const begin = Effect.fnUntraced(function* (work: Work, claimedAt: number) {
    const ref = options.leaseOf(work)
    const key = keyOf(ref)
    leases.set(key, { ref, until: claimedAt + leaseMillis })
    busy.add(key)
    yield* held.open
    yield* Gauges.setLeases(what, leases.size)
    const makeRoom = Effect.suspend(() => (busy.delete(key) ? room.wake : Effect.void))
    const released = Effect.suspend(() => {
      const tookRoom = busy.delete(key)
      leases.delete(key)
      if (leases.size === 0) held.closeUnsafe()
      const measured = Gauges.setLeases(what, leases.size)
      // Work whose room was made before has been looked for since, unless too many results were still being stored.
      return tookRoom || isFull ? Effect.andThen(measured, room.wake) : measured
    })
    const carriedOut = options.carryOut(work, makeRoom).pipe(Effect.ensuring(released), Effect.interruptible)
    yield* FiberMap.run(running, key, carriedOut)
  })

  /** Claims until capacity is full. Uninterruptible, so that every claimed piece gets a fiber. */
  const claim = Effect.gen(function* () {
    while (true) {
      const capacity = yield* options.capacity
      const limit = Math.min(capacity - busy.size, capacity * mostHeld - leases.size)
      isFull = limit <= 0
      if (isFull || !(yield* ClockSkew.mayClaim)) return
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* options.claim(limit)
      yield* Effect.forEach(claimed, (work) => begin(work, now), { discard: true })
      if (claimed.length < limit) return
    }
  }).pipe(Effect.uninterruptible, Background.round(`claim ${what}`))

  /** Interrupts work without waiting for its end, because the other leases must be renewed in the meantime. */
  const end = (some: ReadonlyArray<LeaseRef<Id>>) =>
    Effect.forEach(some, (ref) => Effect.forkChild(FiberMap.remove(running, keyOf(ref))), { discard: true })

  const renew = Effect.gen(function* () {
    if (leases.size === 0) return
    const until = (yield* Clock.currentTimeMillis) + leaseMillis
    const asked = [...leases.values()].map(({ ref }) => ref)
    const lost = yield* options.renew(asked)
    const gone = new Set(lost.map(keyOf))
    for (const ref of asked) {
      const key = keyOf(ref)
      if (leases.has(key) && !gone.has(key)) leases.set(key, { ref, until })
    }
    yield* end(lost)
  }).pipe(Background.round(`renew the leases of ${what}`))

  /** Ends what is overdue, and sleeps until something else may be. Renewed and new leases only run out later. */
  const endOverdue = Effect.gen(function* () {
    const soon = (yield* Clock.currentTimeMillis) + tick
    const all = [...leases.values()]
    yield* end(all.filter(({ until }) => until <= soon).map(({ ref }) => ref))
    const next = Math.min(...all.map(({ until }) => until).filter((until) => until > soon))
    // The clock may be changed, so sleep in short pieces.
    yield* Effect.sleep(Math.max(1, Math.min(next - soon, leaseMillis / 3)))
  })

  const drain = options.drain(Effect.asVoid(FiberMap.awaitEmpty(running))).pipe(Effect.andThen(FiberMap.clear(running)))

  const run = Effect.gen(function* () {
    yield* Effect.forkScoped(
      Effect.forever(held.await.pipe(Effect.andThen(doubts.sleep(leaseMillis / 3)), Effect.andThen(renew)))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(held.await, endOverdue)))
    return yield* claim.pipe(
      Effect.andThen(room.sleep(longestSleep)),
      Effect.forever,
      Effect.onInterrupt(() => drain)
    )
  }).pipe(Effect.scoped)

  return {
    run,
    look: room.wake,
    doubt: (id) => ([...leases.values()].some(({ ref }) => ref.id === id) ? doubts.wake : Effect.void)
  }
})

const keyOf = ({ fence, id }: LeaseRef<string>): string => `${id} ${fence}`
