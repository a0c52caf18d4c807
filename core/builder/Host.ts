/**
 * Hosts conversations: keeps the page of each open, does its turns in their order, and shows the page to those who ask.
 *
 * A host holds each of its conversations by a lease that it renews. One that dies loses its leases, and the conversations
 * their pages; one that lost a lease without noticing has what it brings refused. On shutdown it takes nothing more and
 * gives every conversation back.
 */
import { Effect, FiberMap, Queue, Stream } from "effect"
import { Signals } from "../event/Signals.ts"
import { surviving } from "../event/Surviving.ts"
import type { BeginningOf } from "./Beginning.ts"
import { BuilderStore } from "./BuilderStore.ts"
import * as Hosting from "./Hosting.ts"

export interface Options {
  /** Names the host in leases; different for every process. */
  readonly name: string
  /** How many conversations it hosts at once. */
  readonly capacity: number
  /** How long a lease lasts without being renewed, in milliseconds. It is renewed three times as often. */
  readonly leaseMillis: number
  readonly beginningOf: BeginningOf
}

/** The net under a lost signal. */
const longestSleep = "10 seconds"

/** Hosts until interrupted. Interruption is the orderly shutdown: it completes when every conversation was given back. */
export const run = Effect.fn("Host.run")(function* (options: Options) {
  const store = yield* BuilderStore
  const signals = yield* Signals
  const hosted = yield* FiberMap.make<string>()
  const places = new Map<string, Hosting.Place>()
  const woken = yield* Queue.sliding<void>(1)

  const start = Effect.gen(function* () {
    while (places.size < options.capacity) {
      const limit = options.capacity - places.size
      const claimed = yield* store.claim({ host: options.name, limit, leaseMillis: options.leaseMillis })
      for (const { fence, id } of claimed) {
        const place = {
          held: { id, fence },
          turns: yield* Queue.sliding<void>(1),
          looks: yield* Queue.sliding<void>(1)
        }
        places.set(id, place)
        const hosting = Hosting.host(place, options.beginningOf).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              // The conversation may be here again by now, under another lease.
              if (places.get(id) === place) places.delete(id)
              return Queue.offer(woken, undefined)
            })
          ),
          Effect.interruptible
        )
        yield* FiberMap.run(hosted, id, hosting)
      }
      if (claimed.length < limit) return
    }
  }).pipe(Effect.uninterruptible, surviving("The host could not look for conversations, and tries again"))

  const renew = Effect.gen(function* () {
    if (places.size === 0) return
    const held = [...places.values()].map((place) => place.held)
    const lost = yield* store.renew(held, options.leaseMillis)
    const gone = lost.filter(({ fence, id }) => places.get(id)?.held.fence === fence)
    // That a page is closed is not waited for: the others need their leases meanwhile.
    yield* Effect.forEach(gone, ({ id }) => Effect.forkChild(FiberMap.remove(hosted, id)), { discard: true })
  }).pipe(surviving("The host could not renew its leases, and tries again"))

  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag !== "builder") return Effect.void
      const place = places.get(signal.conversationId)
      return place === undefined ? Queue.offer(woken, undefined) : Hosting.wake(place)
    })
  )

  yield* Effect.forkScoped(obey)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(options.leaseMillis / 3), renew)))
  return yield* start.pipe(
    Effect.andThen(Effect.raceFirst(Queue.take(woken), Effect.sleep(longestSleep))),
    Effect.forever,
    Effect.onInterrupt(() => FiberMap.clear(hosted))
  )
}, Effect.scoped)
