/**
 * Has a model do a task on the open page, one step at a time. It proposes; `JudgedSession` decides; what is done becomes a
 * step of the draft like any that a person records. At the end the draft is tried in a new session.
 */
import { Clock, Effect, Ref, Result } from "effect"
import { ModelBudget } from "../../agent/model/Budget.ts"
import * as ModelRequest from "../../agent/model/ModelRequest.ts"
import * as ModelUse from "../../agent/model/ModelUse.ts"
import * as Memory from "../../agent/variables/Memory.ts"
import type { Targets } from "../../browser/vision/Targets.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import * as Json from "../../workspace/Json.ts"
import type { Candidate } from "../Command.ts"
import type { HostLost } from "../Conversation.ts"
import type { ActionResult } from "../ConversationMessage.ts"
import * as Draft from "../Draft.ts"
import * as ActJudge from "../proposal/ActJudge.ts"
import * as Describing from "../proposal/Describing.ts"
import * as PageWords from "../proposal/PageWords.ts"
import * as Proposal from "../proposal/Proposal.ts"
import * as JudgedSession from "./JudgedSession.ts"
import * as Turn from "./Turn.ts"

/** How the turn begins: with the task, or with the answer of a person to what waits. */
export type Answer = { readonly _tag: "None" | "Agree" } | { readonly _tag: "Decline"; readonly reason: string | null }

export interface Doing {
  readonly draft: Draft.Draft
  readonly stage: Turn.Stage
  readonly describing: Describing.Describing
}

/** What the host does for a description. */
export interface Desk {
  /** The judging of the open page, which lasts as long as that. */
  readonly judging: JudgedSession.Judging
  /** Stores a step, or why none was made, and reports it. */
  readonly told: (now: Doing, text: string, result: ActionResult | null) => Effect.Effect<void>
  /** Does the further turns of the loop around the next step. */
  readonly leave: (draft: Draft.Draft, stage: Turn.Stage) => ReturnType<typeof Turn.leave>
  /** Does the steps of the draft in a new session, in which acts are judged as well; `null` where none opens. */
  readonly tried: (draft: Draft.Draft) => Effect.Effect<Tried | null, HostLost>
}

/** How far a new session came; what waits for a person was not done there. */
export interface Tried {
  readonly done: Turn.TurnResult
  readonly held: JudgedSession.Held | null
}

/** After so many proposals in a row that were not done, it ends. */
const mostIdle = 6

/** Maximum number of elements that a model is told of. */
const maxElements = 300

/** How long a page may take to show the element of a proposed step, in milliseconds. */
const findMillis = 3_000

/** The sites of a task: those of the start page, of the addresses that a person wrote, and of the credentials. */
export const sitesOf = (
  { content }: Draft.Draft,
  task: string,
  accounts: Turn.Stage["beginning"]["accounts"]
): JudgedSession.Judging["sites"] => {
  const nodes = Array.isArray(content.nodes) ? content.nodes.map(Json.objectOf) : []
  const start = Json.objectOf(nodes.find(({ action }) => action === "START")?.parameters).url
  const written = [...(typeof start === "string" ? [start] : []), ...ActJudge.addressesIn(task)]
  return [
    ...written.map((domain) => ({ domain, fields: { allowed_origins: null } })),
    ...[...accounts.values()].map(({ entry }) => entry)
  ]
}

const settled = (now: Doing, text: string, state: Describing.Describing["state"], more = {}): Turn.TurnResult => ({
  stage: now.stage,
  outcome: {
    draft: now.draft,
    progress: now.stage.progress,
    text: Turn.secretsOf(now.stage).hide(`${text}. Spent: ${Describing.told(now.describing)}`),
    result: null,
    describing: { ...now.describing, awaited: null, state, ...more },
    rest: "completed",
    page: true
  }
})

/** Carries out a description, or goes on with one. */
export const run = Effect.fn("DescribeTurn.run")(function* (start: Doing, answer: Answer, desk: Desk) {
  if (!(yield* ModelRequest.isConfigured)) {
    const { names } = yield* ModelBudget
    const how = names?.model === undefined ? "" : `: set ${names.model} to the address and the name of one`
    return settled(start, `Cannot describe a task: no model is configured${how}. Nothing was spent`, "stopped")
  }
  const began = yield* Clock.currentTimeMillis
  const use = ModelUse.make(Describing.left(start.describing), () => Effect.void)
  const base = start.describing
  /** The description with what was spent until now. */
  const spent = Effect.fnUntraced(function* (now: Doing) {
    const millis = (yield* Clock.currentTimeMillis) - began
    const { calls, tokens } = yield* Ref.updateAndGet(use.spent, (before) => ({ ...before, millis }))
    const { spent } = Describing.spending(base, { calls, tokens }, millis)
    return { ...now, describing: { ...now.describing, spent } }
  })
  return yield* loop(start, answer, desk, spent).pipe(Effect.provideService(ModelUse.ModelUse, use))
})

const lost = (now: Doing): Turn.TurnResult => {
  const { outcome, stage } = settled(now, "Stopped: the page was lost", "stopped")
  return { outcome: { ...outcome, rest: "errored", page: false }, stage }
}

type Spent = (now: Doing) => Effect.Effect<Doing>

const loop = Effect.fnUntraced(function* (start: Doing, answer: Answer, desk: Desk, spent: Spent) {
  let now = start
  let idle = 0
  let next = resumed(start, answer, desk)
  if (answer._tag === "Decline") {
    const { awaited } = start.describing
    const reason = answer.reason === null ? "" : `: ${answer.reason}`
    now = noted(now, `The person said no to this: ${awaited?.act ?? ""}${reason}`)
  }
  now = { ...now, describing: { ...now.describing, awaited: null } }
  while (true) {
    now = yield* spent(now)
    const over = Describing.over(now.describing)
    if (over !== null && next === null) return settled(now, `Stopped: ${over}`, "stopped")
    const asked = next === null ? yield* Effect.result(propose(now)) : Result.succeed(next)
    next = null
    now = yield* spent(now)
    if (Result.isFailure(asked)) {
      const reason = Describing.over(now.describing) ?? asked.failure.original ?? asked.failure.sentence
      return settled(now, `Stopped: ${reason}`, "stopped")
    }
    const proposal = asked.success
    if (proposal._tag === "GiveUp") return settled(now, `The model gave up: ${proposal.reason}`, "stopped")
    if (proposal._tag === "Finish") return yield* finish(now, desk, spent)
    const came = yield* carryOut(now, proposal, desk)
    now = yield* spent(came.now)
    const { held } = desk.judging
    if (held !== null) {
      const candidate = proposal._tag === "Step" ? proposal.candidate : null
      const { hide } = Turn.secretsOf(now.stage)
      const awaited = { candidate, act: hide(held.act), why: hide(held.why) }
      const text = `This waits for your yes: ${awaited.act}. It cannot be undone: ${awaited.why}. Answer yes, or no and why`
      return settled(now, text, "waits", { awaited })
    }
    if (came.text !== null) {
      now = noted(now, came.text)
      yield* desk.told(now, Turn.secretsOf(now.stage).hide(came.text), came.result)
    }
    if (!came.page) return lost(now)
    idle = came.isStep ? 0 : idle + 1
    if (idle === mostIdle) return settled(now, `Stopped: ${mostIdle} proposals in a row could not be done`, "stopped")
  }
})

/** The act that a person allowed, which is done only if it is still the same. */
const resumed = ({ describing: { awaited } }: Doing, answer: Answer, { judging }: Desk): Proposal.Proposal | null => {
  const { held } = judging
  judging.held = null
  judging.allowed = null
  if (answer._tag !== "Agree" || awaited === null) return null
  judging.allowed = held?.exact ?? null
  return awaited.candidate === null ? { _tag: "Leave" } : { _tag: "Step", candidate: awaited.candidate }
}

const noted = (now: Doing, line: string): Doing => ({ ...now, describing: Describing.noted(now.describing, line) })

const nodesOf = ({ content }: Draft.Draft): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(content.nodes) ? content.nodes.map(Json.objectOf) : []

const unseen: Targets = { title: "", width: 0, height: 0, elements: [] }

/** Asks the model for the next step. */
const propose = Effect.fnUntraced(function* ({ describing, draft, stage }: Doing) {
  const { navigation, vision } = stage.page
  const secrets = Turn.secretsOf(stage)
  const targets = yield* navigation
    .settled(vision.targets({ maxElements }), { waitMillis: findMillis, isThere: () => "all" })
    .pipe(
      Effect.map(({ found }) => found),
      Effect.orElseSucceed(() => unseen)
    )
  const nodes = nodesOf(draft)
  const names = nodes.flatMap(({ action, name }) => (action === "END" ? [] : [String(name)]))
  const known: ActJudge.Known = {
    aliases: new Set(Object.keys(draft.content.vault_schema)),
    hasPrompt: nodes.some(({ parameters }) => Object.hasOwn(Json.objectOf(parameters), "prompt"))
  }
  const isLooping = Draft.loopAround(draft) !== null
  return yield* ModelRequest.ask<Proposal.Proposal>({
    node: { id: "describe", name: "Describe", action: "DESCRIBE" },
    secrets,
    purpose: "move",
    model: null,
    instructions: PageWords.instructions,
    request: PageWords.request(describing.task, draft.content),
    page: PageWords.page(yield* navigation.address, targets, names, describing.log),
    shot: null,
    form: { _tag: "Choice", tools: Proposal.tools },
    judge: (said) =>
      Effect.sync(() => {
        if (said._tag !== "Called") return Result.fail("Expected a call of a tool")
        const proposal = Proposal.read(said.tool, said.parameters, PageWords.calledIn(targets))
        if (Result.isFailure(proposal)) return Result.fail(proposal.failure)
        const wrong = objection(proposal.success, known, isLooping, names.length > 1)
        return wrong === null ? Result.succeed({ value: proposal.success, did: said.tool }) : Result.fail(wrong)
      })
  })
})

/** Why a proposal does not fit the draft; `null` where it does. */
const objection = (
  proposal: Proposal.Proposal,
  known: ActJudge.Known,
  isLooping: boolean,
  hasSteps: boolean
): string | null => {
  switch (proposal._tag) {
    case "Step":
      return ActJudge.objection(proposal.candidate, known)
    case "Leave":
      return isLooping ? null : "No loop is open: expected a step, or finish"
    case "Finish":
      if (isLooping) return "A loop is open: expected end_for_each first"
      return hasSteps ? null : "Nothing was done yet: expected a step, or give_up"
    default:
      return null
  }
}

/** What came of a proposal. */
interface Came {
  readonly now: Doing
  readonly isStep: boolean
  /** What happened, for the person and the model; `null` where there is nothing to tell. */
  readonly text: string | null
  readonly result: ActionResult | null
  readonly page: boolean
}

const carryOut = Effect.fnUntraced(function* (now: Doing, proposal: Proposal.Proposal, desk: Desk) {
  const { draft, stage } = now
  const { elements, navigation } = stage.page
  const not = (text: string): Came => ({ now, isStep: false, text, result: null, page: true })
  if (proposal._tag === "Look") {
    const moved = yield* elements.turn(proposal.direction, null).pipe(Effect.orElseSucceed(() => false))
    return { ...not(""), now: moved ? now : noted(now, `The page has no more ${proposal.direction}`), text: null }
  }
  const judged: Turn.Stage = { ...stage, page: JudgedSession.make(stage.page, desk.judging) }
  if (proposal._tag === "Leave") return kept(now, yield* desk.leave(draft, judged), true)
  if (proposal._tag !== "Step") return not("")
  const { candidate } = proposal
  const missing = yield* unmatched(candidate, stage)
  if (missing !== null) return not(`Not done: ${missing}`)
  const { uuid } = yield* Identifiers
  const before = yield* navigation.address
  desk.judging.isPassword =
    typeof candidate.parameters.text === "string" && ActJudge.isPassword(candidate.parameters.text)
  const done = yield* Turn.act(draft, judged, candidate, { node: yield* uuid, end: yield* uuid })
  desk.judging.isPassword = false
  const isDone = done.outcome.result?.done === true
  const address = yield* navigation.address
  if (isDone && !address.startsWith("about:") && !ActJudge.isOnSites(desk.judging.sites, address)) {
    yield* Effect.ignore(navigation.goto(before))
    const where = URL.parse(address)?.host ?? "an address of no site"
    return not(
      `Not kept: it led to ${where}, which is none of the sites of the task, so the page before was opened again`
    )
  }
  const expected = isDone ? yield* expecting(done) : done
  return kept(now, expected, isDone)
})

const kept = (now: Doing, { outcome, stage }: Turn.TurnResult, isStep: boolean): Came => ({
  now: { ...now, draft: isStep ? outcome.draft : now.draft, stage: { ...stage, page: now.stage.page } },
  isStep: isStep && outcome.result?.done !== false,
  text: outcome.text,
  result: outcome.result,
  page: outcome.page
})

/** The result of a step with the address that it led to, which the run that tries the draft expects. In a loop it may differ. */
const expecting = Effect.fnUntraced(function* (done: Turn.TurnResult) {
  const { draft, result, text } = done.outcome
  const expect = result?.proposedExpect
  const isAddress = JSON.stringify(expect ?? null).includes('"type":"address"')
  if (!isAddress || expect === undefined || typeof result?.nodeId !== "string" || Draft.loopAround(draft) !== null) {
    return done
  }
  const more = yield* Effect.option(Draft.completed(draft, result.nodeId, { expect }))
  if (more._tag === "None") return done
  const { proposedExpect: _, ...others } = result
  const kept = { ...others, keptExpect: expect }
  return { ...done, outcome: { ...done.outcome, draft: more.value, text, result: kept } }
})

/** Why the selector of a step cannot be acted on now; `null` where one element matches, or it has none. */
const unmatched = Effect.fnUntraced(function* ({ parameters }: Candidate, { known, page }: Turn.Stage) {
  const { selector } = parameters
  if (typeof selector !== "string") return null
  const named = yield* Effect.result(Memory.evaluateText(selector, known.memory, page))
  if (Result.isFailure(named)) return named.failure.sentence
  const looked = yield* page.navigation
    .settled(page.elements.states([named.success]), {
      waitMillis: findMillis,
      isThere: ([one]) => ((one?.matched ?? 0) > 0 ? "all" : "none")
    })
    .pipe(Effect.result)
  if (Result.isFailure(looked)) return looked.failure.reason
  const matched = looked.success.found[0]?.matched ?? 0
  return matched === 1 ? null : `${named.success} matches ${matched} elements, expected exactly one`
})

/** Tries the draft, and says how far that came. */
const finish = Effect.fnUntraced(function* (before: Doing, desk: Desk, spent: Spent) {
  const { draft } = before
  const count = nodesOf(draft).filter(({ action }) => action !== "START" && action !== "END").length
  const made = `The draft has ${count} step${count === 1 ? "" : "s"}`
  const judged = nodesOf(draft).filter(({ parameters }) => Object.hasOwn(Json.objectOf(parameters), "prompt"))
  const judges = judged.length === 0 ? "" : `, of which "${String(judged[0]?.name)}" asks a model in each run`
  const tried = yield* desk.tried(draft)
  if (tried === null) return lost(yield* spent(before))
  const { done, held } = tried
  const now = yield* spent({ ...before, stage: done.stage })
  const isWhole = done.outcome.result?.done !== false && done.outcome.rest === "completed"
  const end =
    held !== null
      ? `It was tried in a new session up to an act that cannot be undone, which was not repeated: ${held.act}`
      : isWhole
        ? "A run in a new session did all of it"
        : `A run in a new session did not: ${done.outcome.text}`
  const state = held !== null || isWhole ? "done" : "stopped"
  const { outcome, stage } = settled(now, `${made}${judges}. ${end}`, state)
  // The steps after the one that was not done are still there: the next step comes at the end.
  return { outcome: { ...outcome, rest: done.outcome.rest, page: done.outcome.page }, stage }
})
