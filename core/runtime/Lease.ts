/**
 * Holds work by leases: claims work up to a capacity, runs each piece in a separate fiber, and renews the leases while
 * the fibers run.
 *
 * A process that dies loses its leases. If a lease cannot be renewed, its work is interrupted before the lease expires,
 * because another process may claim it afterwards. The work of a lost lease is interrupted. A process with a large
 * clock skew claims nothing.
 */
import { Clock, Effect, FiberMap, Latch, type Scope } from "effect"
import * as Background from "./Background.ts"
import * as ClockSkew from "./ClockSkew.ts"
import * as Gauges from "./Gauges.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"
import * as Wake from "./Wake.ts"

/** The right to a piece of work. Of two leases of the same work, the later one has the higher fence. */
export interface LeaseRef<Id extends string> {
  readonly id: Id
  readonly fence: number
}

export interface Options<Id extends string, Work, R> extends Wake.Polling {
  /** The kind of work, for the log: `runs`. */
  readonly what: string
  /** The number of pieces that may run concurrently now. It may fall below the number in progress. */
  readonly capacity: Effect.Effect<number, never, R>
  /** The duration of a lease that is not renewed, in milliseconds. It is renewed three times as often. */
  readonly leaseMillis: number
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<Work>, StoreUnavailable, R>
  readonly leaseOf: (work: Work) => LeaseRef<Id>
  /** Renews leases, and returns those that are lost. */
  readonly renew: (
    leases: ReadonlyArray<LeaseRef<Id>>
  ) => Effect.Effect<ReadonlyArray<LeaseRef<Id>>, StoreUnavailable, R>
  /**
   * Runs a piece of work. After `makeRoom`, the rest only stores its result: the lease is still renewed, but the piece
   * no longer counts against the capacity.
   */
  readonly carryOut: (work: Work, makeRoom: Effect.Effect<void>) => Effect.Effect<void, never, R>
  /** Runs when the holder is interrupted while it has work, before that work is interrupted. */
  readonly drain: (finished: Effect.Effect<void>) => Effect.Effect<unknown, never, R>
}

/** The holder of the leases of a process. */
export interface Holder<R> {
  /** Claims and renews until interrupted; then drains, and completes when no lease is held. */
  readonly run: Effect.Effect<never, never, R>
  /** Claims work now, if there is any. */
  readonly look: Effect.Effect<void>
  /** Renews the leases now if this process holds the work, because its lease may have been lost. */
  readonly doubt: (id: string) => Effect.Effect<void>
}

/**
 * Maximum number of held leases, in multiples of the capacity. Claims wait if results are stored more slowly than work
 * is done.
 */
const mostHeld = 3

/**
 * Maximum sleep of a process with free capacity before it looks for work, in case a signal is lost: work is to begin soon. The
 * options may say otherwise.
 */
const longestSleep = 10_000

export const make = Effect.fnUntraced(function* <Id extends string, Work, R>(
  options: Options<Id, Work, R>
): Effect.fn.Return<Holder<R>, never, Scope.Scope> {
  const { leaseMillis, longestSleepMillis = longestSleep, what } = options
  // Keyed by id and fence: work may be claimed again while its former attempt is still ending.
  const running = yield* FiberMap.make<string, void, never>()
  const leases = new Map<string, { readonly ref: LeaseRef<Id>; readonly until: number }>()
  /** The leases whose work counts against the capacity. */
  const busy = new Set<string>()
  /** Whether the last look at the store ended because there was no room for more, and not because there was no work. */
  let isFull = false
  const room = yield* Wake.make
  const doubts = yield* Wake.make
  /** Open while leases are held, so that a process without leases does not wake up to renew. */
  const held = yield* Latch.make()
  const tick = leaseMillis / 30

  const begin = (work: Work, claimedAt: number) => {
    const ref = options.leaseOf(work)
    const key = keyOf(ref)
    leases.set(key, { ref, until: claimedAt + leaseMillis })
    busy.add(key)
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
    return FiberMap.run(running, key, carriedOut)
  }

  /** Claims until capacity is full. Uninterruptible, so that every claimed piece gets a fiber. */
  const claim = Effect.gen(function* () {
    while (true) {
      const capacity = yield* options.capacity
      const limit = Math.min(capacity - busy.size, capacity * mostHeld - leases.size)
      isFull = limit <= 0
      if (isFull || !(yield* ClockSkew.mayClaim)) return
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* options.claim(limit)
      if (claimed.length === 0) return
      yield* held.open
      yield* Effect.forEach(claimed, (work) => begin(work, now), { discard: true })
      yield* Gauges.setLeases(what, leases.size)
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

  /**
   * Interrupts overdue work, and sleeps until the next lease may expire. Renewed and new leases expire later than that.
   */
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
      Effect.andThen(room.sleep(longestSleepMillis)),
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
