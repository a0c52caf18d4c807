/**
 * Reads the log of events once for all streams of a process, and only while there is a stream.
 */
import { Effect, Queue, type Scope, Semaphore } from "effect"
import * as Background from "../../runtime/Background.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Wake from "../../runtime/Wake.ts"
import { type Entry, EventLog, type Position } from "../EventLog.ts"
import * as Mailbox from "./Mailbox.ts"

export interface LogReader {
  /** The mailboxes that get what is read. */
  readonly subscribers: ReadonlySet<Mailbox.Mailbox>
  /** Gives a mailbox the events that are appended after this call, until the scope closes. */
  readonly subscribe: (mailbox: Mailbox.Mailbox) => Effect.Effect<void, StoreUnavailable, Scope.Scope>
  /** Signals that the log has grown. */
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
        for (const entry of entries) {
          const characters = charactersOf(entry)
          for (const subscriber of subscribers) Mailbox.offer(subscriber, entry, characters)
        }
        position = next
        if (!more) return
        if (entries.length === 0) yield* Effect.sleep("5 millis")
      }
    })
  )

  yield* Effect.raceFirst(Queue.take(grown), Effect.sleep(Wake.longestSleep)).pipe(
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

/** The approximate length of an event as JSON, counted when a stream is to send it. */
const charactersOf = ({ event }: Entry) => {
  let counted: number | undefined
  return () => {
    counted ??= sizeOf(event)
    return counted
  }
}

/** The characters of all texts of a value, and some for everything else. */
const sizeOf = (value: unknown): number => {
  const pending: Array<unknown> = [value]
  let size = 0
  for (let one = pending.pop(); pending.length > 0 || one !== undefined; one = pending.pop()) {
    size += typeof one === "string" ? one.length + charactersOfPart : charactersOfPart
    if (typeof one !== "object" || one === null) continue
    for (const [name, part] of Object.entries(one)) {
      size += name.length
      pending.push(part)
    }
  }
  return size
}

const charactersOfPart = 4
