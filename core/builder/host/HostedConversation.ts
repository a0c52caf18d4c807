/** One conversation at its host, from the claim until it ends or is released. */
import { Clock, Effect, Ref, Schedule, Schema } from "effect"
import { Secrets } from "../../redaction/Secrets.ts"
import { Signals } from "../../runtime/Signals.ts"
import { waitUntilBack } from "../../runtime/StoreUnavailable.ts"
import type * as Wake from "../../runtime/Wake.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { BuilderStore, type LeaseRef, type PointedPage, type View, type ViewKind } from "../BuilderStore.ts"
import * as Conversation from "../Conversation.ts"
import * as Progress from "../Progress.ts"
import * as Commands from "./Commands.ts"
import type { StartingStateOf } from "./StartingState.ts"
import * as Turn from "./Turn.ts"

/** A hosted conversation, with the wakes of its loops. */
export interface HostSession {
  readonly lease: LeaseRef
  readonly turns: Wake.Wake
  readonly looks: Wake.Wake
  /** Since when its page waits for the next message, and whether the last turn failed; `null` during a turn. */
  resting: { readonly since: number; readonly errored: boolean } | null
  /** Whether its page stays open while it rests. */
  mayStay: boolean
}

/** Wakes the host of a conversation. */
export const wake = ({ looks, turns }: HostSession) => Effect.andThen(turns.wake, looks.wake)

/** Maximum sleep, in case a signal is lost. */
const longestSleep = "10 seconds"

type One = Conversation.Conversation

/**
 * Hosts a conversation until it ends, its page is gone, or its lease is lost. At its end, interruption included, the
 * page is closed and the lease released.
 */
export const host = Effect.fn("HostedConversation.host")(function* (place: HostSession, beginningOf: StartingStateOf) {
  const { lease } = place
  const store = yield* BuilderStore
  const signals = yield* Signals
  const identifiers = yield* Identifiers
  const published = signals.publish({ _tag: "builder", conversationId: lease.id })

  const release = Effect.gen(function* () {
    const notice = yield* identifiers.uuid
    yield* store.settle(lease, (before, at) => Conversation.released(before, notice, at))
    yield* published
  }).pipe(Effect.ignore)

  yield* Effect.scoped(attend(place, beginningOf)).pipe(
    Effect.catchTag("HostLost", (gone) => Effect.logInfo(gone.message)),
    Effect.catchDefect((defect) => Effect.logError("Hosting a conversation ended by an internal error", defect)),
    Effect.ensuring(release),
    Effect.annotateLogs({ conversation_id: lease.id })
  )
})

const attend = Effect.fnUntraced(function* (place: HostSession, beginningOf: StartingStateOf) {
  const { lease } = place
  const store = yield* BuilderStore
  const signals = yield* Signals
  const identifiers = yield* Identifiers
  const { carryOut, close, stage, walked } = yield* Commands.make(lease, beginningOf)
  const published = signals.publish({ _tag: "builder", conversationId: lease.id })

  /** Logs a defect without the secrets of the conversation. */
  const complain = (what: string, defect: unknown) =>
    Effect.flatMap(Ref.get(stage), (now) =>
      Effect.logError(`${what}: ${(now === null ? new Secrets() : Turn.secretsOf(now)).describe(defect)}`)
    )

  /**
   * Succeeds when the turn in progress must stop. Fails when the conversation has ended, or is no longer this host's.
   */
  const stopped = Effect.gen(function* () {
    while (true) {
      yield* place.turns.sleep(longestSleep)
      const one = yield* waitUntilBack(store.leased(lease))
      if (one.endedAt !== null)
        return yield* new Conversation.HostLost({ conversationId: lease.id, fence: lease.fence })
      if (one.turn?.stop === true) return one.draft
    }
  })

  /** A turn that is stopped between two steps of a walk keeps the position of the walk. */
  const interrupted = Effect.gen(function* () {
    const draft = yield* stopped
    const now = yield* Ref.get(stage)
    return now === null ? null : Turn.interrupted((yield* Ref.get(walked)) ?? draft, now)
  })

  const doTurn = Effect.fnUntraced(function* (one: One, turn: Conversation.Turn) {
    const nothing = (text: string): Conversation.Outcome => ({
      draft: one.draft,
      progress: Progress.none,
      text,
      result: null,
      rest: "errored",
      page: false
    })
    yield* Ref.set(walked, null)
    const done = yield* Effect.raceFirst(carryOut(one, turn), interrupted).pipe(
      Effect.provideService(Sandbox.Owner, one.workspaceId),
      Effect.map((came) => came ?? { outcome: nothing("Interrupted before a page was open"), stage: null }),
      Effect.catchTag("PageFailure", ({ reason }) =>
        Effect.succeed({ outcome: nothing(`No page could be opened: ${reason}`), stage: null })
      ),
      Effect.catchDefect((defect) =>
        complain("A turn ended by an internal error", defect).pipe(
          Effect.as({ outcome: nothing("Ended by an internal error: see the log of the worker"), stage: null })
        )
      )
    )
    if (done.outcome.page) yield* Ref.set(stage, done.stage)
    else yield* close
    const reply = yield* identifiers.uuid
    yield* waitUntilBack(
      store.settle(lease, (before, at) => Conversation.settle(before, turn.id, done.outcome, reply, at))
    )
    yield* published
  })

  const showing = Effect.gen(function* () {
    yield* place.looks.sleep(longestSleep)
    for (const { kind, number } of yield* waitUntilBack(store.wanted(lease.id))) {
      const now = yield* Ref.get(stage)
      yield* waitUntilBack(store.show(lease.id, kind, number, now === null ? null : yield* look(now, kind)))
      yield* published
    }
  }).pipe(
    Effect.catchDefect((defect) => complain("A page could not be shown", defect)),
    Effect.forever
  )

  yield* Effect.forkScoped(showing)
  while (true) {
    const one = yield* waitUntilBack(store.leased(lease))
    if (Conversation.statusAt(one, yield* Clock.currentTimeMillis) === "ended") {
      yield* waitUntilBack(store.settle(lease, (before, at) => Conversation.ended(before, at)))
      return yield* waitUntilBack(store.forget(lease.id))
    }
    if (one.turn !== null && !one.turn.taken) {
      place.resting = null
      place.mayStay = true
      yield* waitUntilBack(store.settle(lease, (before) => Conversation.taken(before)))
      yield* published
      yield* doTurn(one, one.turn)
    } else if (!one.page || (one.turn === null && !place.mayStay)) return
    else {
      place.resting ??= { since: yield* Clock.currentTimeMillis, errored: one.rest === "errored" }
      yield* place.turns.sleep(longestSleep)
    }
  }
})

/** Maximum number of elements of a page that can be pointed at. */
const maxElements = 400

/**
 * Maximum time for a page to list its elements before the request is repeated. A page that is being left may never
 * answer.
 */
const lookTime = "3 seconds"

/** The view of a page, without the secrets in its text; `null` if the page cannot be read. */
const look = (stage: Turn.Stage, kind: ViewKind): Effect.Effect<View | null> =>
  Effect.gen(function* () {
    const { hide } = Turn.secretsOf(stage)
    return { url: hide(yield* stage.page.navigation.address), body: yield* bodyOf(stage, kind) }
  }).pipe(Effect.orElseSucceed(() => null))

const bodyOf = Effect.fnUntraced(function* (stage: Turn.Stage, kind: ViewKind) {
  const { elements, navigation, vision } = stage.page
  const secrets = Turn.secretsOf(stage)
  const picture = Effect.map(elements.screenshot(null, { fullPage: false }), ({ bytes }) => base64(bytes))
  switch (kind) {
    case "html":
      return yield* secrets.hideLong(yield* navigation.html({ sanitized: false }))
    case "screenshot":
      return yield* picture
    case "elements": {
      // Retry while the page is being replaced by another one.
      const [targets, base64] = yield* Effect.zip(vision.targets({ maxElements }), picture).pipe(
        Effect.timeout(lookTime),
        Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 3 })
      )
      const shown = yield* secrets.hideInData(targets)
      return JSON.stringify({ ...shown, base64 } satisfies PointedPage)
    }
  }
})

const base64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)
