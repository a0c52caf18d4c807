/**
 * Gathers what an attempt leaves behind for those who look into it: snapshots and pictures of each node of a debug run,
 * the network log where it is asked for, and the newest picture while somebody watches.
 *
 * Evidence never decides about a run: what cannot be gathered is missing, and the run goes on.
 */
import { Clock, Effect, Option, Queue, type Scope, Stream } from "effect"
import type { Page } from "../../core/agent/Browser.ts"
import { type Recorded, record } from "../../core/agent/Exchange.ts"
import type { Observer } from "../../core/agent/Observer.ts"
import type { Secrets } from "../../core/agent/Secrets.ts"
import { Signals } from "../../core/event/Signals.ts"
import { EvidenceStore } from "../../core/run/EvidenceStore.ts"
import type { Reporter } from "../../core/run/Executor.ts"
import { LiveStore } from "../../core/run/LiveStore.ts"
import * as NetworkPolicy from "../../core/run/NetworkPolicy.ts"
import type { RunId } from "../../core/run/Run.ts"
import type { Keeper } from "../../core/run/RunArtifacts.ts"
import type { Claimed } from "../../core/run/RunStore.ts"
import type { Node, NodeId } from "../../core/workflow/Graph.ts"

/** A snapshot is cut at this size. */
const maxSnapshotBytes = 5_000_000

/** A debug run takes so many pictures and snapshots in one attempt: a loop may pass its nodes very often. */
const maxMoments = 1_000

/** How often the network log is written, and how often somebody who watches gets a new picture at most. */
const logInterval = "1 second"
const frameInterval = "900 millis"

/** Makes the function that lets an observer of the agent also gather evidence. */
export const make = Effect.gen(function* () {
  const store = yield* EvidenceStore
  const live = yield* LiveStore
  const signals = yield* Signals

  /** The runs of this worker, each with the wish for a picture. */
  const wishes = new Map<string, Queue.Queue<void>>()
  yield* (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      const wish = signal._tag === "watched" ? wishes.get(signal.runId) : undefined
      return wish === undefined ? Effect.void : Queue.offer(wish, undefined)
    }),
    Effect.forkScoped
  )

  const watched = (page: Page, runId: RunId, secrets: Secrets): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen(function* () {
      const wish = yield* Queue.sliding<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => void wishes.set(runId, wish)),
        () =>
          Effect.suspend(() => {
            if (wishes.get(runId) === wish) wishes.delete(runId)
            return shown ? live.hide(runId) : Effect.void
          }).pipe(surviving(secrets))
      )
      let shown = false
      const show = Effect.gen(function* () {
        yield* Queue.take(wish)
        const shot = yield* Effect.option(page.glimpse)
        if (Option.isSome(shot)) {
          shown = true
          yield* live.show(runId, { bytes: shot.value.bytes, at: yield* Clock.currentTimeMillis })
        }
        yield* Effect.sleep(frameInterval)
      }).pipe(surviving(secrets))
      yield* Effect.forkScoped(Effect.forever(show))
    })

  const logged = (page: Page, { run }: Claimed, secrets: Secrets): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen(function* () {
      const room = yield* store.openLog(run.id)
      let { bodyCharacters, events: eventsLeft } = room
      let unwritten: Array<Recorded> = []
      let told = 0
      let truncated = false
      const write = Effect.suspend(() => {
        const events = unwritten
        unwritten = []
        return store.log(run.id, events).pipe(
          Effect.catchDefect((defect) => {
            truncated = true
            return Effect.logWarning(`A part of the network log could not be kept: ${secrets.describe(defect)}`)
          })
        )
      })
      yield* Effect.addFinalizer(() =>
        Effect.andThen(
          write,
          Effect.suspend(() => store.closeLog(run.id, truncated))
        ).pipe(surviving(secrets))
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(logInterval), write)))
      yield* page.watchNetwork((exchange) => {
        told++
        if (eventsLeft === 0) {
          truncated = true
          return
        }
        eventsLeft--
        const one = record(`${run.attempts}-${String(told).padStart(6, "0")}`, exchange, bodyCharacters, secrets)
        bodyCharacters -= one.response_body?.length ?? 0
        unwritten.push(one)
      })
    }).pipe(surviving(secrets))

  return <E>(
    claimed: Claimed,
    secrets: Secrets,
    keeper: Keeper,
    reporter: Reporter,
    observer: Observer<E>
  ): Observer<E> => {
    const { run, version } = claimed
    const documents = new Map<NodeId, string>()
    let moments = 0

    const keep = Effect.fnUntraced(function* (page: Page, node: Node) {
      const html = yield* Effect.option(page.snapshot({ maxBytes: maxSnapshotBytes }))
      if (Option.isNone(html)) return
      const artifact = {
        bytes: new TextEncoder().encode(secrets.hide(html.value)),
        mediaType: "text/html",
        fileName: null
      }
      const kept = yield* Effect.option(keeper.keep("snapshot", artifact, documents.get(node.id)))
      if (Option.isNone(kept)) return
      const artifactId = kept.value
      documents.set(node.id, artifactId)
      yield* store.keepSnapshot({ runId: run.id, nodeId: node.id, artifactId, at: yield* Clock.currentTimeMillis })
    }, surviving(secrets))

    const opened = Effect.fnUntraced(function* (page: Page) {
      if (NetworkPolicy.records(version.content, run.options)) yield* logged(page, claimed, secrets)
      yield* watched(page, run.id, secrets)
    })

    const seen = Effect.fnUntraced(function* (page: Page, node: Node, moment: "begins" | "failed") {
      if (run.options.debug !== true || (moment === "begins" && ++moments > maxMoments)) return
      yield* keep(page, node)
      if (moment === "failed") return
      const shot = yield* Effect.option(page.glimpse)
      if (Option.isNone(shot)) return
      yield* observer.picture({ ...shot.value, node, error: false, fullPage: false, metadata: {} })
    })

    return { ...observer, opened, seen }
  }
})

const surviving =
  (secrets: Secrets) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    effect.pipe(
      Effect.asVoid,
      Effect.catchDefect((defect) =>
        Effect.logWarning(`Evidence of a run could not be kept: ${secrets.describe(defect)}`)
      )
    )
