/**
 * Records the evidence of an attempt: snapshots and screenshots of each node of a debug run, and, if enabled, the
 * network log and the video. Also connects live view.
 *
 * Evidence never affects a run: if it cannot be recorded it is missing, and the run continues.
 */
import { Clock, Effect, Option, type Scope } from "effect"
import type { Observer } from "../agent/Observer.ts"
import type { Outcome } from "../agent/Outcome.ts"
import type { BrowserSession } from "../browser/Browser.ts"
import { type Exchange, type RecordedExchange, record } from "../browser/Exchange.ts"
import type { Secrets } from "../redaction/Secrets.ts"
import type { ArtifactWriter } from "../run/artifact/RunArtifacts.ts"
import type { Reporter } from "../run/Executor.ts"
import { recordsNetwork } from "../run/evidence/Evidence.ts"
import { EvidenceStore } from "../run/evidence/EvidenceStore.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import type { Node, NodeId } from "../workflow/language/graph/Graph.ts"
import { bestEffort } from "./BestEffort.ts"
import * as LiveRun from "./live/LiveRun.ts"
import * as VideoCapture from "./VideoCapture.ts"

/** Maximum size of a snapshot. A larger one is cut. */
const maxSnapshotBytes = 5_000_000

/**
 * Maximum number of screenshots and snapshots in one attempt of a debug run, because a loop may repeat its nodes very
 * often.
 */
const maxMoments = 1_000

/** Maximum number of characters of response bodies that wait to be stored. Further ones are left out. */
const maxWaitingCharacters = 20_000_000

/** The interval at which the network log is stored. */
const logInterval = "1 second"

const notKept = "Evidence of a run could not be kept"

/** Makes the function that extends an observer of the agent to record evidence. */
export const make = Effect.gen(function* () {
  const store = yield* EvidenceStore

  const liveOf = yield* LiveRun.make

  const logged = (
    page: BrowserSession,
    { run }: ClaimedRun,
    secrets: Secrets
  ): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen(function* () {
      const room = yield* store.openLog(run.id)
      let { bodyCharacters, events: eventsLeft } = room
      let waiting: Array<readonly [id: string, exchange: Exchange]> = []
      let waitingCharacters = 0
      let recorded = 0
      let truncated = false
      // Uninterruptible: a batch that was taken is stored, or its loss is reported.
      const write = Effect.gen(function* () {
        const batch = waiting
        waiting = []
        waitingCharacters = 0
        const events: Array<RecordedExchange> = []
        for (const [id, exchange] of batch) {
          const recordedExchange = yield* record(id, exchange, bodyCharacters, secrets)
          bodyCharacters -= recordedExchange.responseBody?.length ?? 0
          events.push(recordedExchange)
        }
        yield* store.log(run.id, events)
      }).pipe(
        Effect.tapCause(() => Effect.sync(() => (truncated = true))),
        bestEffort(secrets, "A part of the network log could not be kept"),
        Effect.uninterruptible
      )
      yield* Effect.addFinalizer(() =>
        Effect.andThen(
          write,
          Effect.suspend(() => store.closeLog(run.id, truncated))
        ).pipe(bestEffort(secrets, notKept))
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(logInterval), write)))
      yield* page.observation.watchNetwork((exchange) => {
        recorded++
        const characters = exchange.body?.length ?? 0
        if (eventsLeft === 0 || waitingCharacters + characters > maxWaitingCharacters) {
          truncated = true
          return
        }
        eventsLeft--
        waitingCharacters += characters
        waiting.push([`${run.attempts}-${String(recorded).padStart(6, "0")}`, exchange])
      })
    }).pipe(bestEffort(secrets, notKept))

  return <E>(
    claimed: ClaimedRun,
    secrets: Secrets,
    writer: ArtifactWriter,
    reporter: Reporter,
    observer: Observer<E>
  ): Observer<E> => {
    const { run, version } = claimed
    const documents = new Map<NodeId, string>()
    const live = liveOf(run, secrets, reporter)
    let filmed: Effect.Effect<void> = Effect.void
    let moments = 0

    const keep = Effect.fnUntraced(
      function* (page: BrowserSession, node: Node) {
        const html = yield* Effect.option(page.observation.snapshot({ maxBytes: maxSnapshotBytes }))
        if (Option.isNone(html)) return
        const artifact = {
          bytes: new TextEncoder().encode(yield* secrets.hideLong(html.value)),
          mediaType: "text/html",
          fileName: null
        }
        const kept = yield* Effect.option(writer.write("snapshot", artifact, documents.get(node.id)))
        if (Option.isNone(kept)) return
        const artifactId = kept.value
        documents.set(node.id, artifactId)
        yield* store.keepSnapshot({ runId: run.id, nodeId: node.id, artifactId, at: yield* Clock.currentTimeMillis })
      },
      bestEffort(secrets, notKept)
    )

    const opened = Effect.fnUntraced(function* (page: BrowserSession) {
      if (recordsNetwork(version.content, run.options)) yield* logged(page, claimed, secrets)
      yield* live.attend(page)
      if (version.content.settings.video_record_session)
        filmed = yield* VideoCapture.record(page, run, writer, reporter)
    })

    // Runs while the session is still open, so that this event precedes the end event.
    const over = (page: BrowserSession, outcome: Outcome) =>
      Effect.andThen(filmed, observer.over?.(page, outcome) ?? Effect.void)

    const seen = Effect.fnUntraced(function* (page: BrowserSession, node: Node, moment: "begins" | "failed") {
      if (run.options.debug !== true || (moment === "begins" && ++moments > maxMoments)) return
      yield* keep(page, node)
      if (moment === "failed") return
      const shot = yield* Effect.option(page.observation.glimpse())
      if (Option.isNone(shot)) return
      yield* observer.picture({ ...shot.value, node, error: false, fullPage: false, metadata: {} })
    })

    return { ...observer, opened, seen, over, hold: live.hold }
  }
})
