/**
 * Takes runs as they may start and carries them out, a bounded number at a time.
 *
 * A worker holds each of its runs by a lease that it renews. One that dies loses its leases; one that lost a lease
 * without noticing has its results refused. On shutdown it takes nothing more, gives what it runs a time of grace, and
 * then gives back the rest: no lease is left to expire.
 */
import { Effect, FiberMap, Queue, Stream } from "effect"
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
  const running = yield* FiberMap.make<string>()
  const leases = new Map<string, Held>()
  const woken = yield* Queue.sliding<void>(1)

  /** Starts all that may start and fits. Not interruptible: a run that was claimed is a run that somebody carries out. */
  const start = Effect.gen(function* () {
    while (true) {
      // Nothing is claimed that there is no browser for.
      const limit = Math.min(options.capacity, yield* seats.count) - leases.size
      if (limit <= 0) return
      const claimed = yield* store.claim({ worker: options.name, limit, leaseMillis: options.leaseMillis })
      if (claimed.length > 0) yield* signals.publish({ _tag: "events" })
      for (const one of claimed) {
        const { id, lease } = one.run
        leases.set(id, { id, fence: lease?.fence ?? 0 })
        const attempt = Attempt.carryOut(one).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              leases.delete(id)
              return Queue.offer(woken, undefined)
            })
          ),
          Effect.interruptible
        )
        yield* FiberMap.run(running, id, attempt)
      }
      if (claimed.length < limit) return
    }
  }).pipe(Effect.uninterruptible, surviving("The worker could not look for runs, and tries again"))

  const renew = Effect.gen(function* () {
    if (leases.size === 0) return
    const lost = yield* store.renew([...leases.values()], options.leaseMillis)
    yield* Effect.forEach(lost, ({ id }) => FiberMap.remove(running, id), { discard: true })
  }).pipe(surviving("The worker could not renew its leases, and tries again"))

  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag === "work") return Queue.offer(woken, undefined)
      return signal._tag === "ended" ? FiberMap.remove(running, signal.runId) : Effect.void
    })
  )

  const drain = FiberMap.awaitEmpty(running).pipe(
    Effect.timeoutOption(options.graceMillis),
    Effect.andThen(FiberMap.clear(running))
  )

  yield* Effect.forkScoped(obey)
  yield* Effect.forkScoped(Stream.runForEach(seats.changes, () => Queue.offer(woken, undefined)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(options.leaseMillis / 3), renew)))
  return yield* start.pipe(
    Effect.andThen(Effect.raceFirst(Queue.take(woken), Effect.sleep(longestSleep))),
    Effect.forever,
    Effect.onInterrupt(() => drain)
  )
}, Effect.scoped)
