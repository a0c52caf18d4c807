/**
 * Hosts conversations: keeps the page of each open, carries out its turns in order, and provides views of the page.
 *
 * A host leases each of its conversations and renews the leases. A host that dies loses its leases and the pages.
 * Results of a host with a lost lease are refused. On shutdown a host releases every conversation.
 */
import { Effect, Stream } from "effect"
import * as Lease from "../../runtime/Lease.ts"
import { Signals } from "../../runtime/Signals.ts"
import * as Wake from "../../runtime/Wake.ts"
import { BuilderStore, type LeaseRef } from "../BuilderStore.ts"
import * as HostedConversation from "./HostedConversation.ts"
import type { StartingStateOf } from "./StartingState.ts"

export interface Options {
  /** Names the host in leases; different for every process. */
  readonly name: string
  /** Maximum number of concurrent conversations. */
  readonly capacity: number
  /** The duration of a lease in milliseconds. It is renewed after a third of it. */
  readonly leaseMillis: number
  readonly beginningOf: StartingStateOf
}

/** Hosts until interrupted. The interruption completes when every conversation is released. */
export const run = Effect.fn("Host.run")(function* (options: Options) {
  const store = yield* BuilderStore
  const signals = yield* Signals
  const places = new Map<string, HostedConversation.HostSession>()

  const host = Effect.fnUntraced(function* (lease: LeaseRef) {
    const place = { lease, turns: yield* Wake.make, looks: yield* Wake.make }
    places.set(lease.id, place)
    yield* HostedConversation.host(place, options.beginningOf).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          // The conversation may meanwhile be hosted here again, under another lease.
          if (places.get(lease.id) === place) places.delete(lease.id)
        })
      )
    )
  })

  const holder = yield* Lease.make({
    what: "conversations",
    capacity: Effect.succeed(options.capacity),
    leaseMillis: options.leaseMillis,
    claim: (limit) => store.claim({ host: options.name, limit, leaseMillis: options.leaseMillis }),
    leaseOf: ({ fence, id }): LeaseRef => ({ id, fence }),
    renew: (lease) => store.renew(lease, options.leaseMillis),
    carryOut: ({ fence, id }) => host({ id, fence }),
    drain: () => Effect.void
  })
  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag !== "builder") return Effect.void
      const place = places.get(signal.conversationId)
      return place === undefined ? holder.look : HostedConversation.wake(place)
    })
  )
  yield* Effect.forkScoped(obey)
  return yield* holder.run
}, Effect.scoped)
