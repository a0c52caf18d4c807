/**
 * Live streams of events: all runs that one client started, or one run.
 *
 * A process reads the log once for all its streams, and only while there is one. A stream that is not read fast enough
 * uses bounded memory: it reads the events that it missed from the log.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import * as Background from "../../runtime/Background.ts"
import { Signals } from "../../runtime/Signals.ts"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Entry } from "../EventLog.ts"
import { isLast, type LoggedEvent } from "../RunEvent.ts"
import { Admission, longestDelay } from "./Admission.ts"
import { ClientProgress, type WrittenEvents } from "./ClientProgress.ts"
import * as LogReader from "./LogReader.ts"
import * as Mailbox from "./Mailbox.ts"

/** The entries that a stream sends at once, in order. An empty batch is a sign of life. */
export type Batch<E extends LoggedEvent = LoggedEvent> = ReadonlyArray<E>

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /**
     * The pending events of a client, then the events of its runs, without end. Pulling a batch confirms that the
     * previous one was written. It counts as received when the stream is still open two seconds later; otherwise the next
     * stream sends it again. Delivery is therefore at least once.
     *
     * The first batch is empty and comes at once; another empty one comes whenever nothing happened for 15 seconds. The
     * events of a run begin when its submitter has its id, or two seconds after its submission.
     */
    readonly ofClient: (workspaceId: WorkspaceId, clientId: string) => Stream.Stream<Batch<Entry>>

    /**
     * The events of one run after the one with the sequence `after`, until its last. `history` reads a page of those that were
     * appended by now. Empty batches come as they do for a client.
     */
    readonly ofRun: (
      workspaceId: WorkspaceId,
      runId: string,
      after: number,
      history: (after: number) => Effect.Effect<ReadonlyArray<LoggedEvent>, StoreUnavailable.StoreUnavailable>
    ) => Stream.Stream<Batch>
  }
>()("sluice/core/event/stream/EventStreams") {
  static readonly layer = Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      const reader = yield* LogReader.make
      const progress = yield* ClientProgress
      const signals = yield* Signals
      const announced = new Map<string, number>()
      const unsaved = new Map<string, WrittenEvents>()

      const hear = (yield* signals.subscribe).pipe(
        Stream.runForEach((signal) => {
          if (signal._tag === "events") return reader.grown
          if (signal._tag !== "announced") return Effect.void
          return Effect.map(Clock.currentTimeMillis, (now) => {
            announced.set(signal.runId, now)
            for (const [runId, at] of announced) if (at < now - 2 * longestDelay) announced.delete(runId)
            for (const subscriber of reader.subscribers)
              if (subscriber.topic === signal.clientId) Mailbox.wake(subscriber)
          })
        })
      )

      const save = Effect.suspend(() => {
        const all = [...unsaved.values()]
        unsaved.clear()
        return progress.written(all)
      })

      yield* Effect.forkScoped(hear)
      yield* Effect.sleep(saveEvery).pipe(
        Effect.andThen(save),
        Background.round("keep how far streams were written"),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => Effect.ignore(save))

      const ofClient = (workspaceId: WorkspaceId, clientId: string) =>
        Effect.gen(function* () {
          const mailbox = yield* Mailbox.make(workspaceId, clientId)
          yield* StoreUnavailable.waitUntilBack(reader.subscribe(mailbox))
          const admission = new Admission((runId) => announced.has(runId))
          // Only how far a batch goes is kept: payloads may be large.
          let handed: ReadonlyArray<WrittenEvents> = []
          let unconfirmed: Array<{ readonly written: WrittenEvents; readonly at: number }> = []
          /** The end of what was read of the log for what the mailbox does not have; `null` if it has the rest. */
          let missedAfter: number | null = null

          /** The next page of pending events. Entries of the mailbox come after all pages. */
          const catchUp = Effect.fnUntraced(function* (after: number) {
            // Unsaved progress would be sent again.
            if (after === 0) yield* save
            const now = yield* Clock.currentTimeMillis
            const owed = yield* progress.owed(workspaceId, clientId, now - remembered, after)
            missedAfter = owed.at(-1)?.sequence ?? null
            return admission.admit(owed, now)
          })

          /** An event that was written long enough ago, on a connection that is still open, was received. */
          const confirm = (now: number) => {
            const received = unconfirmed.filter(({ at }) => at + untilReceived <= now)
            unconfirmed = unconfirmed.slice(received.length)
            for (const { written } of received) {
              const last = written.last || unsaved.get(written.runId)?.last === true
              unsaved.set(written.runId, { ...written, last })
              if (last) admission.end(written.runId)
            }
          }

          const next = Effect.gen(function* () {
            const began = yield* Clock.currentTimeMillis
            unconfirmed.push(...handed.map((written) => ({ written, at: began })))
            while (true) {
              const now = yield* Clock.currentTimeMillis
              confirm(now)
              if (missedAfter === null && Mailbox.takeMissed(mailbox)) missedAfter = 0
              const fresh =
                missedAfter === null
                  ? admission.admit(yield* Mailbox.takeNow(mailbox), now)
                  : yield* StoreUnavailable.waitUntilBack(catchUp(missedAfter))
              if (missedAfter === null) admission.forgetEnded()
              const batch = [...admission.release(now), ...fresh]
              handed = batch.map(({ event, runId, sequence }) => ({ runId, sequence, last: isLast(event) }))
              if (batch.length > 0 || began + quiet <= now) return batch
              if (missedAfter !== null) continue
              const due = Math.min(
                began + quiet,
                admission.firstDue(),
                (unconfirmed[0]?.at ?? Infinity) + untilReceived
              )
              yield* Mailbox.arrival(mailbox, Math.max(due - now, 1))
            }
          })
          Mailbox.miss(mailbox)
          return Stream.concat(Stream.succeed<Batch<Entry>>([]), Stream.fromEffectRepeat(next))
        }).pipe(Stream.unwrap, Stream.scoped)

      const ofRun = runStreams(reader)

      return EventStreams.of({ ofClient, ofRun })
    })
  )
}

/** Makes the streams of one run. */
const runStreams =
  (reader: LogReader.LogReader): EventStreams["Service"]["ofRun"] =>
  (
    workspaceId: WorkspaceId,
    runId: string,
    after: number,
    history: (after: number) => Effect.Effect<ReadonlyArray<LoggedEvent>, StoreUnavailable.StoreUnavailable>
  ) =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make(workspaceId, runId)
      yield* StoreUnavailable.waitUntilBack(reader.subscribe(mailbox))
      let cursor = after
      let catchesUp = false
      const next = Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        while (true) {
          if (Mailbox.takeMissed(mailbox)) catchesUp = true
          const missed = catchesUp ? yield* StoreUnavailable.waitUntilBack(history(cursor)) : []
          catchesUp = missed.length > 0
          // Entries of the mailbox come after all pages of the log.
          const entries = catchesUp ? missed : yield* Mailbox.takeNow(mailbox)
          const batch = entries.filter(({ sequence }) => {
            const isNew = sequence > cursor
            if (isNew) cursor = sequence
            return isNew
          })
          const quietFor = began + quiet - (yield* Clock.currentTimeMillis)
          // The list of this pull, which nothing changes from here on.
          if (batch.length > 0 || quietFor <= 0) return batch as Batch
          yield* Mailbox.arrival(mailbox, quietFor)
        }
      })
      Mailbox.miss(mailbox)
      return Stream.concat(Stream.succeed<Batch>([]), Stream.fromEffectRepeat(next)).pipe(
        Stream.takeUntil((batch) => batch.some(({ event }) => isLast(event)))
      )
    }).pipe(Stream.unwrap, Stream.scoped)

/** How long after it was written an event counts as received, if the connection is still there, in milliseconds. */
const untilReceived = 2_000

/**
 * The silence after which a stream sends a keep-alive, in milliseconds. The shortest known client timeout is 60 s.
 */
const quiet = 15_000

/** For how long the events of an ended run stay pending for a disconnected client, in milliseconds. */
const remembered = 86_400_000

const saveEvery = "250 millis"
