/**
 * Reads the log of events once for all streams of a process, and only while there is a stream.
 */
import { Effect, Queue, type Scope, Semaphore } from "effect"
import * as Background from "../../runtime/Background.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { EventLog, type Position } from "../EventLog.ts"
import * as Mailbox from "./Mailbox.ts"

export interface LogReader {
  /** The mailboxes that get what is read. */
  readonly subscribers: ReadonlySet<Mailbox.Mailbox>
  /** Gives a mailbox what is appended from now on, until the scope closes. */
  readonly subscribe: (mailbox: Mailbox.Mailbox) => Effect.Effect<void, StoreUnavailable, Scope.Scope>
  /** Says that the log has grown. */
  readonly grown: Effect.Effect<void>
}

/** Makes a reader that reads until the scope closes. */
export const make: Effect.Effect<LogReader, never, EventLog | Scope.Scope> = Effect.gen(function* () {
  const log = yield* EventLog
  const subscribers = new Set<Mailbox.Mailbox>()
  const grown = yield* Queue.sliding<void>(1)
  const placing = yield* Semaphore.make(1)
  let position: Position | null = null

  /** Reads on while there is more to read, and a stream to read it for. */
  const readOn = placing.withPermits(1)(
    Effect.gen(function* () {
      if (subscribers.size === 0) position = null
      while (position !== null) {
        const { entries, more, position: next } = yield* log.read(position, 500)
        for (const entry of entries) for (const one of subscribers) Mailbox.offer(one, entry)
        position = next
        if (!more) return
        if (entries.length === 0) yield* Effect.sleep("5 millis")
      }
    })
  )

  yield* Effect.raceFirst(Queue.take(grown), Effect.sleep(longestSleep)).pipe(
    Effect.andThen(readOn),
    Background.round("read the log of events for streams"),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    subscribers,
    subscribe: (mailbox) =>
      Effect.acquireRelease(
        placing.withPermits(1)(
          Effect.gen(function* () {
            position ??= yield* log.end
            subscribers.add(mailbox)
          })
        ),
        () => Effect.sync(() => subscribers.delete(mailbox))
      ).pipe(Effect.asVoid),
    grown: Effect.asVoid(Queue.offer(grown, undefined))
  }
})

/** The longest pause between two reads, for the case that a signal is lost. */
const longestSleep = "10 seconds"
