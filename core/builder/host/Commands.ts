/** Carries out the commands of a conversation on its page. */
import { Clock, Effect, Ref, Result, ScopedRef } from "effect"
import * as NetworkRecorder from "../../agent/network/NetworkRecorder.ts"
import { Browser } from "../../browser/Browser.ts"
import type { PageFailure } from "../../browser/PageFailure.ts"
import { Signals } from "../../runtime/Signals.ts"
import { waitUntilBack } from "../../runtime/StoreUnavailable.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { BuilderStore, type LeaseRef } from "../BuilderStore.ts"
import * as Conversation from "../Conversation.ts"
import * as DescribeTurn from "./DescribeTurn.ts"
import * as JudgedSession from "./JudgedSession.ts"
import type { StartingStateOf } from "./StartingState.ts"
import * as Turn from "./Turn.ts"

type One = Conversation.Conversation

/** Commands that need an open page. */
type Later = Exclude<Conversation.Turn["command"], { readonly _tag: "Open" | "Replay" }>

/** How often the progress of a walk is stored, in milliseconds. */
const tellMillis = 200

/**
 * Makes the function that carries out the commands of a conversation. Its page is closed with the scope.
 *
 * `stage` is the state of the open page, `null` without a page; `walked` is the draft with the position of the walk in
 * progress.
 */
export const make = Effect.fnUntraced(function* (lease: LeaseRef, beginningOf: StartingStateOf) {
  const store = yield* BuilderStore
  const identifiers = yield* Identifiers
  const browser = yield* Browser
  const page = yield* ScopedRef.make((): Turn.OpenPage | null => null)
  const stage = yield* Ref.make<Turn.Stage | null>(null)
  const walked = yield* Ref.make<Conversation.Conversation["draft"] | null>(null)
  /** The judging of the open page, by the sites of the present task; `null` before a model acts on it. */
  let judging: JudgedSession.Judging | null = null

  const close = Effect.suspend(() => {
    judging = null
    return Effect.andThen(ScopedRef.set(page, Effect.succeed(null)), Ref.set(stage, null))
  })

  const walk = yield* walking(lease, stage, walked)

  /** Performs a turn on a page in a separate session; the one before is closed. */
  const onNewPage = Effect.fnUntraced(function* <E, R>(
    one: One,
    turn: (fresh: Turn.Stage) => Effect.Effect<Turn.TurnResult, E, R>
  ) {
    yield* close
    const began = yield* Clock.currentTimeMillis
    const beginning = yield* beginningOf(one)
    yield* ScopedRef.set(
      page,
      Effect.gen(function* () {
        const opened = yield* browser.open(beginning.session)
        // Record from now on, because a later message may add a node that reads earlier responses.
        return { page: opened, heard: yield* NetworkRecorder.listen(opened) }
      })
    )
    const opened = yield* ScopedRef.get(page)
    if (opened === null) return null
    const fresh = Turn.newStage(opened, one.inputs, beginning, began)
    yield* Turn.secretsOf(fresh).prepared
    yield* Ref.set(stage, fresh)
    yield* waitUntilBack(store.settle(lease, (before) => Conversation.opened(before)))
    return Turn.withUnavailable(yield* turn(fresh), beginning.unavailable)
  })

  /** Has a model go on with the task of the conversation. */
  const describe = Effect.fnUntraced(function* (
    one: One,
    now: Turn.Stage,
    answer: DescribeTurn.Answer,
    turnId: string
  ) {
    const { describing } = one
    if (describing === undefined) return yield* Effect.die(new Error("A description has a task"))
    const sites = DescribeTurn.sitesOf(one.draft, describing.task, now.beginning.accounts)
    judging = { ...(judging ?? JudgedSession.judging(sites)), sites }
    const desk = yield* deskOf(lease, { judging, walk, turnId, stage, walked }, now, (draft, turn) =>
      onNewPage({ ...one, draft }, turn)
    )
    return yield* DescribeTurn.run({ draft: one.draft, stage: now, describing }, answer, desk)
  })

  const onPage = Effect.fnUntraced(function* (one: One, now: Turn.Stage, command: Later, turnId: string) {
    const { draft } = one
    switch (command._tag) {
      case "Describe":
      case "Agree":
        return yield* describe(one, now, { _tag: command._tag === "Agree" ? "Agree" : "None" }, turnId)
      case "Decline":
        return yield* describe(one, now, command, turnId)
      case "Do":
      case "Preview": {
        const ids = { node: yield* identifiers.uuid, end: yield* identifiers.uuid }
        const turn = command._tag === "Do" ? Turn.act : Turn.preview
        return yield* turn(draft, now, command.candidate, ids)
      }
      case "Next":
        return yield* Turn.next(draft, now)
      case "Again":
        return yield* Turn.again(draft, now, command.step)
      case "Leave":
        return yield* Turn.leave(draft, now, (stops) => walk(turnId, stops))
      case "Continue":
        return yield* Turn.walk(draft, now, walk(turnId, before(command.until)))
    }
  })

  /** Opens the start page first, because the page was lost. The cursor of the draft does not change. */
  const again = Effect.fnUntraced(function* (one: One, now: Turn.Stage, command: Later, turnId: string) {
    const start = yield* Turn.open(one.draft, now, null)
    const notice =
      "The page was lost, so the start page was opened again. The steps were not repeated: use replay for that"
    if (start.outcome.rest === "errored") return { ...start, outcome: { ...start.outcome, draft: one.draft } }
    const done = yield* onPage(one, start.stage, command, turnId)
    return { ...done, outcome: { ...done.outcome, text: `${notice}. ${done.outcome.text}` } }
  })

  const carryOut = Effect.fnUntraced(function* (one: One, { command, id }: Conversation.Turn) {
    const present = yield* Ref.get(stage)
    if (command._tag !== "Open" && command._tag !== "Replay") {
      if (present !== null) {
        const progress = one.progress ?? present.progress
        const { now, unavailable } = yield* withNewInputs(
          beginningOf,
          one,
          Turn.without({ ...present, progress }, one.draft)
        )
        return Turn.withUnavailable(yield* onPage(one, now, command, id), unavailable)
      }
      return yield* onNewPage(one, (fresh) => again(one, fresh, command, id))
    }
    if (command._tag === "Replay") {
      const { after, way } = one.draft.cursor
      const isHere: Turn.Walk["stops"] = (cursor) => cursor.after === after && cursor.way === way
      const onward = walk(id, command.until === undefined ? isHere : before(command.until))
      return yield* onNewPage(one, (fresh) => Turn.open(one.draft, fresh, onward))
    }
    const onward = command.until === null ? null : walk(id, before(command.until))
    return yield* onNewPage(one, (fresh) => Turn.open(one.draft, fresh, onward))
  })

  return { carryOut, close, stage, walked }
})

/** Stops a walk before the step with an id or a name; without one, at the end. */
const before =
  (step: string | undefined): Turn.Walk["stops"] =>
  (_, next) =>
    next.id === step || next.name === step

interface Hands {
  readonly judging: JudgedSession.Judging
  readonly walk: (turnId: string, stops: Turn.Walk["stops"]) => Turn.Walk
  readonly turnId: string
  readonly stage: Ref.Ref<Turn.Stage | null>
  readonly walked: Ref.Ref<One["draft"] | null>
}

/** What the host does for a description on the page of the stage `now`. */
const deskOf = Effect.fnUntraced(function* (
  lease: LeaseRef,
  { judging, stage, turnId, walk, walked }: Hands,
  now: Turn.Stage,
  onNewPage: (
    draft: One["draft"],
    turn: (fresh: Turn.Stage) => ReturnType<typeof Turn.open>
  ) => Effect.Effect<Turn.TurnResult | null, Conversation.HostLost | PageFailure>
) {
  const store = yield* BuilderStore
  const identifiers = yield* Identifiers
  const signals = yield* Signals
  /** The walk, whose stage stays that of the page itself. */
  const onward = (stops: Turn.Walk["stops"], itself: Turn.Stage): Turn.Walk => {
    const { reached } = walk(turnId, stops)
    return { stops, reached: (draft, here) => reached(draft, { ...here, page: itself.page }) }
  }
  return {
    judging,
    told: Effect.fnUntraced(function* ({ describing, draft, stage: here }, text, result) {
      yield* Ref.set(walked, draft)
      yield* Ref.set(stage, here)
      const message = {
        id: yield* identifiers.uuid,
        role: "agent" as const,
        kind: result === null ? ("text" as const) : ("action_result" as const),
        text,
        ...(result === null ? {} : { result })
      }
      const step = { draft, progress: here.progress, describing, message }
      yield* Effect.ignore(
        store.settle(lease, (before, at) => Result.succeed(Conversation.described(before, turnId, step, at)))
      )
      yield* signals.publish({ _tag: "builder", conversationId: lease.id })
    }),
    leave: (draft, judged) => Turn.leave(draft, judged, (stops) => onward(stops, now)),
    tried: (draft) =>
      Effect.gen(function* () {
        const anew = JudgedSession.judging(judging.sites)
        const done = yield* onNewPage(draft, (fresh) =>
          Turn.open(
            draft,
            { ...fresh, page: JudgedSession.make(fresh.page, anew) },
            onward(() => false, fresh)
          ).pipe(Effect.map(({ outcome, stage }) => ({ outcome, stage: { ...stage, page: fresh.page } })))
        )
        return done === null ? null : { done, held: anew.held }
      }).pipe(Effect.catchTag("PageFailure", () => Effect.succeed(null)))
  } satisfies DescribeTurn.Desk
})

/** The stage with the current inputs of the conversation. */
const withNewInputs = Effect.fnUntraced(function* (beginningOf: StartingStateOf, one: One, now: Turn.Stage) {
  const { vault_schema } = one.draft.content
  const added = Object.keys(one.inputs).filter((name) => one.inputs[name] !== now.known.memory.inputs[name])
  const isSigning = added.some((name) => Object.hasOwn(vault_schema, name))
  const { accounts, unavailable } = isSigning ? yield* beginningOf(one) : { ...now.beginning, unavailable: [] }
  return { now: added.length === 0 ? now : Turn.withInputs(now, one.inputs, accounts), unavailable }
})

/** The walks of a conversation, which store where they are. */
const walking = Effect.fnUntraced(function* (lease: LeaseRef, stage: Hands["stage"], walked: Hands["walked"]) {
  const store = yield* BuilderStore
  const signals = yield* Signals
  /** When the progress of a walk was stored last. */
  let told = 0
  return (turnId: string, stops: Turn.Walk["stops"]): Turn.Walk => ({
    stops,
    reached: Effect.fnUntraced(function* (draft, here) {
      yield* Ref.set(walked, draft)
      yield* Ref.set(stage, here)
      const now = yield* Clock.currentTimeMillis
      if (now < told + tellMillis) return
      told = now
      const { progress } = here
      yield* Effect.ignore(
        store.settle(lease, (before) => Result.succeed(Conversation.walked(before, turnId, draft.cursor, progress)))
      )
      yield* signals.publish({ _tag: "builder", conversationId: lease.id })
    })
  })
})
