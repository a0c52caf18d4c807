/**
 * Takes runs as they may start and carries them out, a bounded number at a time.
 *
 * A worker holds each of its runs by a lease that it renews. One that dies loses its leases; one that cannot renew a lease
 * ends the attempt when the lease runs out, as another worker may carry out the run from then on; and one that lost a lease
 * without noticing has its results refused. On shutdown it takes nothing more, gives what it runs a time of grace, and
 * then gives back the rest: no lease is left to expire.
 */
import { Clock, Effect, FiberMap, Queue, Stream } from "effect"
import { Signals } from "../event/Signals.ts"
import { surviving } from "../event/Surviving.ts"
import * as Attempt from "./Attempt.ts"
import { type Held, RunStore } from "./RunStore.ts"
import { Seats } from "./Seats.ts"

export interface Options {
  /** Names the worker in leases; different for every process. */
  readonly name: string
  /** How many runs it carries out at once. */
  readonly capacity: number
  /** How long a lease lasts without being renewed, in milliseconds. It is renewed three times as often. */
  readonly leaseMillis: number
  /** How long running runs may go on after a shutdown began, in milliseconds. */
  readonly graceMillis: number
}

/** The net under a lost signal: how long a worker with room sleeps at most. */
const longestSleep = "10 seconds"

/**
 * Works until interrupted. Interruption is the orderly shutdown: it completes when the last run has ended or was given
 * back.
 */
export const run = Effect.fn("Worker.run")(function* (options: Options) {
  const store = yield* RunStore
  const signals = yield* Signals
  const seats = yield* Seats
  // By run and fence: a run may come back while an attempt of it that has lost its lease is still being ended.
  const running = yield* FiberMap.make<string>()
  const leases = new Map<string, { readonly held: Held; readonly until: number }>()
  const woken = yield* Queue.sliding<void>(1)
  /** Offered to when a lease may have been lost. */
  const doubted = yield* Queue.sliding<void>(1)
  const tick = options.leaseMillis / 30

  /** Starts all that may start and fits. Not interruptible: a run that was claimed is a run that somebody carries out. */
  const start = Effect.gen(function* () {
    while (true) {
      // Nothing is claimed that there is no browser for.
      const limit = Math.min(options.capacity, yield* seats.count) - leases.size
      if (limit <= 0) return
      const claimed = yield* store.claim({ worker: options.name, limit, leaseMillis: options.leaseMillis })
      for (const one of claimed) {
        const { id, lease } = one.run
        const held = { id, fence: lease?.fence ?? 0 }
        const key = keyOf(held)
        leases.set(key, { held, until: lease?.until ?? 0 })
        const attempt = Attempt.carryOut(one).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              leases.delete(key)
              return Queue.offer(woken, undefined)
            })
          ),
          Effect.interruptible
        )
        yield* FiberMap.run(running, key, attempt)
      }
      if (claimed.length > 0) yield* signals.publish({ _tag: "events" })
      if (claimed.length < limit) return
    }
  }).pipe(Effect.uninterruptible, surviving("The worker could not look for runs, and tries again"))

  /** Ends attempts. What each still has to put in order is not waited for: the others need their leases meanwhile. */
  const end = (some: ReadonlyArray<Held>) =>
    Effect.forEach(some, (held) => Effect.forkChild(FiberMap.remove(running, keyOf(held))), { discard: true })

  const renew = Effect.gen(function* () {
    if (leases.size === 0) return
    const until = (yield* Clock.currentTimeMillis) + options.leaseMillis
    const asked = [...leases.values()].map(({ held }) => held)
    const lost = yield* store.renew(asked, options.leaseMillis)
    const gone = new Set(lost.map(keyOf))
    for (const held of asked) {
      const key = keyOf(held)
      if (leases.has(key) && !gone.has(key)) leases.set(key, { held, until })
    }
    yield* end(lost)
  }).pipe(surviving("The worker could not renew its leases, and tries again"))

  /** A store that cannot be reached may have given a run to somebody else when its lease has run out. */
  const endOverdue = Effect.gen(function* () {
    const soon = (yield* Clock.currentTimeMillis) + tick
    const overdue = [...leases.values()].filter(({ until }) => until <= soon)
    yield* end(overdue.map(({ held }) => held))
  })

  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag === "work") return Queue.offer(woken, undefined)
      if (signal._tag !== "ended") return Effect.void
      const isHeld = [...leases.values()].some(({ held }) => held.id === signal.runId)
      return isHeld ? Queue.offer(doubted, undefined) : Effect.void
    })
  )

  const drain = FiberMap.awaitEmpty(running).pipe(
    Effect.timeoutOption(options.graceMillis),
    Effect.andThen(FiberMap.clear(running))
  )

  yield* Effect.forkScoped(obey)
  yield* Effect.forkScoped(Stream.runForEach(seats.changes, () => Queue.offer(woken, undefined)))
  const renewal = Effect.raceFirst(Queue.take(doubted), Effect.sleep(options.leaseMillis / 3))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(renewal, renew)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(tick), endOverdue)))
  return yield* start.pipe(
    Effect.andThen(Effect.raceFirst(Queue.take(woken), Effect.sleep(longestSleep))),
    Effect.forever,
    Effect.onInterrupt(() => drain)
  )
}, Effect.scoped)

const keyOf = ({ fence, id }: Held): string => `${id} ${fence}`
