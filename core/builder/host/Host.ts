/**
 * Hosts conversations: keeps the page of each open, carries out its turns in order, and provides views of the page.
 *
 * A host leases each of its conversations and renews the leases. A host that dies loses its leases and the pages.
 * Results of a host with a lost lease are refused. On shutdown a host releases every conversation.
 */
import { Clock, Effect, Stream } from "effect"
import * as Lease from "../../runtime/Lease.ts"
import * as Shares from "../../runtime/Shares.ts"
import { Signals } from "../../runtime/Signals.ts"
import * as Wake from "../../runtime/Wake.ts"
import { BuilderStore, type LeaseRef } from "../BuilderStore.ts"
import type { Conversation } from "../Conversation.ts"
import * as HostedConversation from "./HostedConversation.ts"
import type { StartingStateOf } from "./StartingState.ts"

export interface Options {
  /** Names the host in leases; different for every process. */
  readonly name: string
  /** Maximum number of concurrent conversations. */
  readonly capacity: number
  /** The most of one workspace, given the number of all; all when not given. Workspaces take turns in any case. */
  readonly workspaceSessions?: (places: number) => Effect.Effect<number>
  /** The duration of a lease in milliseconds. It is renewed after a third of it. */
  readonly leaseMillis: number
  readonly beginningOf: StartingStateOf
}

/** A conversation whose page was not used for this time leaves its place to one that waits, in milliseconds. */
export const restMillis = 5 * 60_000

/** Hosts until interrupted. The interruption completes when every conversation is released. */
export const run = Effect.fn("Host.run")(function* (options: Options) {
  const store = yield* BuilderStore
  const signals = yield* Signals
  const places = new Map<string, HostedConversation.HostSession>()

  const shares = Shares.make()
  const { capacity, leaseMillis, workspaceSessions = Effect.succeed } = options
  const mostOfOne = Effect.map(workspaceSessions(capacity), (most) => Math.max(1, most))

  /** Claims conversations, of no workspace more than it may have. */
  const claim = Effect.fnUntraced(function* (free: number) {
    return yield* Shares.take(shares, {
      most: yield* mostOfOne,
      free,
      take: (next) => store.claim({ host: options.name, leaseMillis, ...next }),
      ownerOf: ({ workspaceId }: Conversation) => workspaceId
    })
  })

  /**
   * While all places are in use and a conversation waits for one, closes the page that has rested for the longest, one
   * after a failure first. Its conversation goes on with its next message.
   */
  const makeWay = Effect.gen(function* () {
    if (places.size < capacity) return
    const { full } = shares.next(yield* mostOfOne, 1).turns
    if (!(yield* store.isAwaited(full))) return
    const now = yield* Clock.currentTimeMillis
    const [first] = [...places.values()]
      .filter(({ resting }) => resting !== null && (resting.errored || now - resting.since >= restMillis))
      .sort((a, b) => Number(b.resting?.errored) - Number(a.resting?.errored) || sinceOf(a) - sinceOf(b))
    if (first === undefined) return
    first.mayStay = false
    yield* first.turns.wake
  }).pipe(Effect.catch(({ message }) => Effect.logDebug(message)))

  const host = Effect.fnUntraced(function* (lease: LeaseRef) {
    const place: HostedConversation.HostSession = {
      lease,
      turns: yield* Wake.make,
      looks: yield* Wake.make,
      resting: null,
      mayStay: true
    }
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
    capacity: Effect.succeed(capacity),
    leaseMillis,
    claim,
    leaseOf: ({ fence, id }): LeaseRef => ({ id, fence }),
    renew: (lease) => store.renew(lease, leaseMillis),
    carryOut: ({ fence, id, workspaceId }) =>
      Effect.ensuring(
        host({ id, fence }),
        Effect.sync(() => shares.leave(workspaceId))
      ),
    drain: () => Effect.void
  })
  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag !== "builder") return Effect.void
      const place = places.get(signal.conversationId)
      return place === undefined ? Effect.andThen(makeWay, holder.look) : HostedConversation.wake(place)
    })
  )
  yield* Effect.forkScoped(obey)
  // In case a signal is lost, and for pages that have rested long enough since.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("10 seconds"), makeWay)))
  return yield* holder.run
}, Effect.scoped)

const sinceOf = ({ resting }: HostedConversation.HostSession): number => resting?.since ?? Infinity
