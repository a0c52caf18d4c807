/**
 * The events of all runs of a workspace as one stream, which can be resumed at any position.
 *
 * Each stream reads the log itself from its position on, so missed events and new ones are read alike.
 */
import { Effect, Queue, Stream } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { type Entry, EventLog, type Position, page } from "../EventLog.ts"

/** An event with the place behind it. */
export interface PositionedEvent extends Entry {
  readonly position: Position
}

/**
 * Events in their order, how far the log was read for them, and the kinds of resources that were changed meanwhile. One
 * without events and changes is a sign of life.
 */
export interface Part {
  readonly events: ReadonlyArray<PositionedEvent>
  readonly position: Position
  readonly changed: ReadonlyArray<string>
}

/**
 * The events that a filter takes, from those after `after` on, or from now on without it. The first part comes at once
 * and is empty; an empty one also comes whenever nothing happened for 15 seconds. With `changes` the kinds of
 * resources come that the audit trail records changes of: run windows, workflows and others. These kinds are not stored: a
 * stream that is opened later does not report earlier changes, and a lost signal is not sent again.
 */
export const make = (
  workspaceId: WorkspaceId,
  options: { readonly after: Position | null; readonly takes: (entry: Entry) => boolean; readonly changes: boolean }
): Stream.Stream<Part, never, EventLog | Signals> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const signals = yield* Signals
    const grown = yield* Queue.sliding<void>(1)
    const changed = new Set<string>()
    yield* (yield* signals.subscribe).pipe(
      Stream.runForEach((signal) => {
        const isChange = options.changes && signal._tag === "changed" && signal.workspaceId === workspaceId
        if (isChange) changed.add(signal.kind)
        return isChange || signal._tag === "events" ? Queue.offer(grown, undefined) : Effect.void
      }),
      Effect.forkScoped
    )
    let position = options.after ?? (yield* StoreUnavailable.waitUntilBack(log.end))
    let saidAt: Position | null = null

    const read = Effect.gen(function* () {
      const found = yield* StoreUnavailable.waitUntilBack(log.read(position, page.events))
      position = found.position
      const events = found.entries.flatMap((entry, index): ReadonlyArray<PositionedEvent> => {
        const behind = found.positions[index]
        return behind !== undefined && entry.workspaceId === workspaceId && options.takes(entry)
          ? [{ ...entry, position: behind }]
          : []
      })
      return { events, more: found.more }
    })

    const next: Effect.Effect<Part> = Effect.gen(function* () {
      if (saidAt === null) {
        saidAt = position
        return { events: [], position, changed: [] }
      }
      while (true) {
        const { events, more } = yield* read
        if (events.length > 0 || changed.size > 0) {
          const kinds = [...changed]
          changed.clear()
          return { events, position, changed: kinds }
        }
        if (more) {
          yield* Effect.sleep(settling)
          continue
        }
        const isQuiet = yield* Effect.raceFirst(
          Effect.as(Queue.take(grown), false),
          Effect.as(Effect.sleep(quiet), true)
        )
        if (isQuiet) return { events: [], position, changed: [] }
        yield* Effect.sleep(gathering)
      }
    })
    return Stream.fromEffectRepeat(next)
  }).pipe(Stream.unwrap, Stream.scoped)

/** After how much silence a stream gives a sign of life. */
const quiet = "15 seconds"

/** The time within which transactions that precede a visible event are expected to commit. */
const settling = "5 millis"

/** Events that come within this time are read together. */
const gathering = "50 millis"
