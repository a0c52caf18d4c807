/** Carries out the turns of a conversation on its page, with the same actions as runs. */
import { Clock, Effect, Option, Redacted, Result, type Schema } from "effect"
import { StepFailed } from "../../agent/Failure.ts"
import type { Limits } from "../../agent/Limits.ts"
import * as Login from "../../agent/login/Login.ts"
import * as ModelUse from "../../agent/model/ModelUse.ts"
import type { NetworkRecorder } from "../../agent/network/NetworkRecorder.ts"
import type { Observer } from "../../agent/Observer.ts"
import * as Position from "../../agent/Position.ts"
import { nothing as noMemories } from "../../agent/recovery/ElementMemory.ts"
import * as RecoverySettings from "../../agent/recovery/RecoverySettings.ts"
import * as Stepper from "../../agent/Stepper.ts"
import * as Memory from "../../agent/variables/Memory.ts"
import * as CoveredSession from "../../agent/vision/CoveredSession.ts"
import type { BrowserSession } from "../../browser/Browser.ts"
import type { ElementState } from "../../browser/element/ElementState.ts"
import * as Session from "../../browser/Session.ts"
import { Secrets } from "../../redaction/Secrets.ts"
import type { Graph, Node, NodeId } from "../../workflow/language/graph/Graph.ts"
import * as GraphLoops from "../../workflow/language/graph/GraphLoops.ts"
import * as Bounds from "../../workflow/sandbox/Bounds.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { Candidate } from "../Command.ts"
import type { Outcome } from "../Conversation.ts"
import type { ActionResult } from "../ConversationMessage.ts"
import * as Draft from "../Draft.ts"
import type { Cursor } from "../DraftPatch.ts"
import * as Progress from "../Progress.ts"
import * as ProposedExpect from "../ProposedExpect.ts"
import type { StartingState } from "./StartingState.ts"

/** The state of a conversation at some point. */
type Known = Pick<Position.Position, "memory" | "loops">

/** An open page with its execution state, which is lost with the page. */
export interface Stage extends OpenPage {
  /** The instant at which the page was opened. One-time codes sent before it are not used. */
  readonly began: number
  /** The initial state of the page, and the accounts of the conversation. */
  readonly beginning: StartingState
  readonly known: Known
  /** What was carried out on it. */
  readonly progress: Progress.Progress
  /** The state before each step that a message added, to restore when the step is undone. */
  readonly before: ReadonlyMap<NodeId, Known>
}

/** An open page with its recorded network responses. */
export interface OpenPage {
  readonly page: BrowserSession
  readonly heard: NetworkRecorder
}

/** The stage of a newly opened page. */
export const newStage = (open: OpenPage, inputs: Schema.JsonObject, beginning: StartingState, began: number): Stage => {
  const { accounts, session } = beginning
  const secrets = new Secrets()
  for (const value of Session.secrets(session)) secrets.add(Redacted.value(value), "secret")
  const memory = Memory.initial(inputs, { accounts, secrets })
  const page = CoveredSession.make(open.page, secrets)
  const known = { memory, loops: new Map() }
  return { ...open, page, began, beginning, known, progress: Progress.none, before: new Map() }
}

/** The state of the conversation and of its page after the turn. */
export interface TurnResult {
  readonly outcome: Outcome
  readonly stage: Stage
}

/** The limits of one turn in a draft, whose loops may be endless. */
export const limits: Limits = { steps: 10_000, millis: 10 * 60_000 }

/** Maximum size of extracted data in a message, in characters of JSON. */
const maxShown = 100_000

/** Maximum number of its characters in the text of a message. */
const maxTold = 10_000

/** A walk through the draft. */
export interface Walk {
  /** Whether the walk stops before the next node. Every walk stops at the end. */
  readonly stops: (cursor: Cursor, next: Node) => boolean
  /** Called after each step with the resulting draft and stage. */
  readonly reached: (draft: Draft.Draft, stage: Stage) => Effect.Effect<void>
}

/** Opens the start page, and continues with the walk, if given. */
export const open = Effect.fn("Turn.open")(function* (draft: Draft.Draft, stage: Stage, onward: Walk | null) {
  const graph = yield* graphOf(draft)
  if (graph === null) return unread(draft, stage)
  const start = Position.nodeOf(graph, graph.start)
  const opened = yield* step(draft, graph, start, stage, yield* Clock.currentTimeMillis)
  const behindStart = Draft.passed(draft, { after: start.id, way: "to" })
  if (Result.isFailure(opened)) return yield* failed(behindStart, stage, start, opened.failure, "errored")
  if (onward !== null) return yield* walk(behindStart, opened.success.stage, onward)
  return settled(behindStart, opened.success.stage, `Opened ${yield* stage.page.navigation.address}`, null)
})

/** The progress of a walk. */
interface Way {
  readonly draft: Draft.Draft
  readonly stage: Stage
  /** The node that comes next, or that failed. */
  readonly at: Node
  readonly failure: StepFailed | null
  readonly done: number
  readonly skipped: number
  /** Whether the walk reached the maximum number of steps of one message. */
  readonly isLongest: boolean
  /** The last node that read data, and the names of all data that was read. */
  readonly reader: Node | null
  readonly names: ReadonlySet<string>
  /** What its steps were unsure of. */
  readonly unsure: ReadonlyArray<string>
}

const walkAlong = Effect.fnUntraced(function* (draft: Draft.Draft, graph: Graph, stage: Stage, onward: Walk) {
  const began = yield* Clock.currentTimeMillis
  let [now, here, done, skipped] = [draft, stage, 0, 0]
  const names = new Set<string>()
  const unsure: Array<string> = []
  let reader: Node | null = null
  const way = (at: Node, failure: StepFailed | null, isLongest = false): Way => ({
    ...{ draft: now, stage: here, at, failure, done, skipped, isLongest, reader, names, unsure }
  })
  while (true) {
    const node = Draft.next(now, graph)
    if (node.action === "END" || onward.stops(now.cursor, node)) return way(node, null)
    if (done + skipped === limits.steps) return way(node, null, true)
    const passed = yield* step(now, graph, node, here, began)
    if (Result.isFailure(passed)) return way(node, passed.failure)
    now = passed.success.draft
    here = passed.success.stage
    yield* onward.reached(now, here)
    const { found } = passed.success
    unsure.push(...passed.success.unsure)
    if (found !== null) {
      reader = node
      for (const name of Object.keys(found)) names.add(name)
    }
    if (passed.success.skipped) skipped++
    else done++
  }
})

/** Carries out the following steps of the draft. The walk stops at a step that fails. */
export const walk = Effect.fn("Turn.walk")(function* (draft: Draft.Draft, stage: Stage, onward: Walk) {
  const graph = yield* graphOf(draft)
  if (graph === null) return unread(draft, stage)
  const way = yield* walkAlong(draft, graph, stage, onward)
  const { at, done, failure, isLongest, names, reader, skipped, unsure } = way
  if (failure !== null) return yield* failed(way.draft, way.stage, at, failure, "completed")
  if (isLongest) {
    return settled(
      way.draft,
      way.stage,
      `Stopped after ${limits.steps} steps, the most at once. ${comesNext(at)}`,
      null
    )
  }
  const did = `Did ${counted(done)}${skipped === 0 ? "" : `, skipped ${skipped}`}${doubts(unsure)}. ${comesNext(at)}`
  if (reader === null) {
    const where = yield* way.stage.page.navigation.address
    return settled(way.draft, way.stage, `${did}. The page is at ${where}`, null)
  }
  const read = Memory.named(way.stage.known.memory, names)
  return withWarnings(yield* succeeded(way.draft, way.stage, reader, did, read), unsure)
})

const counted = (steps: number): string => `${steps} step${steps === 1 ? "" : "s"}`

/** Carries out the next step of the draft. */
export const next = Effect.fn("Turn.next")(function* (draft: Draft.Draft, stage: Stage) {
  const graph = yield* graphOf(draft)
  if (graph === null) return unread(draft, stage)
  const node = Draft.next(draft, graph)
  if (node.action === "END") return settled(draft, stage, `There is nothing to do: ${comesNext(node)}`, null)
  const passed = yield* step(draft, graph, node, stage, yield* Clock.currentTimeMillis)
  if (Result.isFailure(passed)) return yield* failed(draft, stage, node, passed.failure, "completed")
  const { draft: after, found, skipped, stage: here, unsure } = passed.success
  const onward = comesNext(Draft.next(after, graph))
  if (skipped) return settled(after, here, `Skipped: ${node.name}. Its run_if does not hold here. ${onward}`, null)
  const text = `Done: ${node.name}${doubts(unsure)}. ${onward}`
  return withWarnings(yield* succeeded(after, here, node, text, found), unsure)
})

interface Ids {
  readonly node: NodeId
  readonly end: NodeId
}

/** A step that was added to the draft and carried out, and where the page was before it. */
interface Added extends Passed {
  readonly node: Node
  readonly left: Before
}

/** Adds a step to the draft and carries it out, or fails with the result that says why the draft is unchanged. */
const added = Effect.fnUntraced(function* (draft: Draft.Draft, stage: Stage, candidate: Candidate, ids: Ids) {
  const inserted = yield* Effect.result(Draft.insert(draft, candidate, ids))
  if (Result.isFailure(inserted)) {
    const { failure } = inserted
    const problems = failure._tag === "TooCostly" ? [{ path: "", message: failure.message }] : failure.problems
    const reasons = problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
    return Result.fail(settled(draft, stage, `This cannot be done: ${reasons}`, null))
  }
  const graph = yield* graphOf(inserted.success.draft)
  if (graph === null) return Result.fail(unread(draft, stage))
  const node = Position.nodeOf(graph, inserted.success.node)
  const left = yield* lookBefore(node, stage)
  const passed = yield* step(inserted.success.draft, graph, node, stage, yield* Clock.currentTimeMillis)
  if (Result.isFailure(passed)) return Result.fail(yield* failed(draft, stage, node, passed.failure, "completed"))
  const after = passed.success
  if (after.skipped) {
    return Result.fail(yield* refused(draft, stage, node, "The condition does not hold here. The draft is unchanged"))
  }
  if (after.draft.cursor.way === "loop_done") {
    const nothing = "There is nothing to repeat: the list is empty here. The draft is unchanged"
    return Result.fail(yield* refused(draft, stage, node, nothing))
  }
  const before = new Map([...stage.before, [node.id, stage.known] as const])
  return Result.succeed<Added>({ ...after, stage: { ...after.stage, before }, node, left })
})

/**
 * Carries out an action. It becomes a step of the draft if it succeeds; otherwise the draft is unchanged. A click that has
 * the browser download something is followed by the steps that keep it.
 */
export const act = Effect.fn("Turn.act")(function* (draft: Draft.Draft, stage: Stage, candidate: Candidate, ids: Ids) {
  const one = yield* added(draft, stage, candidate, ids)
  if (Result.isFailure(one)) return one.failure
  const { draft: after, found, left, node, stage: here, unsure } = one.success
  const began = node.action === "CLICK" ? yield* downloadOf(here) : null
  if (began !== null) return withWarnings(yield* keeping(one.success, began), unsure)
  const { way } = after.cursor
  const text = `Done: ${node.name}${doubts(unsure)}${Object.hasOwn(openings, way) ? `. ${openings[way]}` : ""}`
  const done = yield* succeeded(after, here, node, text, found)
  return withWarnings(yield* expecting(done, node, left, found), unsure)
})

/** Reads what a step would read, without making it one: the draft and its progress are unchanged. */
export const preview = Effect.fn("Turn.preview")(function* (
  draft: Draft.Draft,
  stage: Stage,
  candidate: Candidate,
  ids: Ids
) {
  const { outcome } = yield* act(draft, stage, candidate, ids)
  if (outcome.result === null) return { outcome, stage }
  const { keptExpect: _, proposedExpect: __, ...result } = outcome.result
  const text = result.done
    ? `It became no step. It read ${JSON.stringify(result.data).slice(0, maxTold)}`
    : outcome.text
  return { outcome: { ...outcome, draft, progress: stage.progress, text, result: { ...result, nodeId: null } }, stage }
})

/** Where a page is before a step, and what it says there. */
interface Before {
  readonly address: string
  /** The number of open tabs. */
  readonly tabs: number
  readonly said: ReadonlyArray<ElementState>
}

const said = ({ page }: Stage) =>
  page.elements.states(ProposedExpect.sayings).pipe(Effect.orElseSucceed((): ReadonlyArray<ElementState> => []))

const lookBefore = Effect.fnUntraced(function* (node: Node, stage: Stage) {
  const before: Before = {
    address: yield* stage.page.navigation.address,
    tabs: (yield* stage.page.navigation.tabs).open,
    said: ProposedExpect.mayLead(node) ? yield* said(stage) : []
  }
  return before
})

/** How long a page may take to say what has come of a recorded step, in milliseconds. */
const sayingMillis = 2_000

/** What a click has the browser download, and the number of open tabs; `null` where it downloads nothing. */
const downloadOf = Effect.fnUntraced(function* ({ page: { navigation } }: Stage) {
  const settling = { waitMillis: sayingMillis, isThere: (): "all" => "all" }
  const what = yield* navigation.settled(navigation.downloadable, settling).pipe(
    Effect.map((settled) => settled.found),
    // A document that is no page does not say whether it is at rest.
    Effect.catch(() => navigation.downloadable)
  )
  return what === null ? null : { what, tabs: (yield* navigation.tabs).open }
})

const keepFile: Candidate = { action: "FILE_DOWNLOAD", name: "Keep the file", parameters: {} }
const closeTab: Candidate = { action: "TAB_MANAGEMENT", name: "Close its tab", parameters: { tabAction: "CLOSE" } }
const goBack: Candidate = { action: "NAVIGATE", name: "Go back", parameters: { url: "back" } }

/** The result of a click that began a download, with the steps that keep it and leave the document that is kept. */
const keeping = Effect.fnUntraced(function* (
  { draft, left, node: click, stage, unsure }: Added,
  began: { readonly what: "file" | "document"; readonly tabs: number }
) {
  const { uuid } = yield* Identifiers
  const leaving = began.what === "file" ? [] : [began.tabs > left.tabs ? closeTab : goBack]
  let [now, here] = [draft, stage]
  const texts = [`Done: ${click.name}${doubts(unsure)}`]
  for (const candidate of [keepFile, ...leaving]) {
    const one = yield* added(now, here, candidate, { node: yield* uuid, end: yield* uuid })
    if (Result.isFailure(one)) {
      const { progress, text } = one.failure.outcome
      texts.push(`what it has the browser download was not kept: ${text}`)
      return yield* succeeded(now, { ...here, progress }, click, texts.join("; "), null)
    }
    now = one.success.draft
    here = one.success.stage
    const { id, name } = one.success.node
    const files = (here.progress.files?.[id] ?? []).map(({ bytes, name }) => `${name}, ${bytes} bytes`).join(" and ")
    texts.push(files === "" ? name : `${name} (${files})`)
  }
  return yield* succeeded(now, here, click, texts.join("; "), null)
})

/**
 * The result of a new step with what that expects from then on: the rows that it has read, and the address that it has led
 * to. After a sign-in, and in a loop, a run may go another way: there it is only proposed, as is a text that has appeared.
 */
const expecting = Effect.fnUntraced(function* (
  done: TurnResult,
  node: Node,
  before: Before,
  found: Schema.JsonObject | null
) {
  const { draft, result } = done.outcome
  if (result === null) return done
  const { page } = done.stage
  const address = ProposedExpect.ofAddress(node, before.address, yield* page.navigation.address)
  const rows = found === null ? null : ProposedExpect.ofRows(node, found)
  const more: ProposedExpect.Kept | null = rows ?? (address === null ? null : { expect: address })
  if (more !== null) {
    const isSure = Draft.loopAround(draft) === null && (rows !== null || !Draft.isSignIn(draft, node.id))
    const kept = isSure ? yield* Effect.option(Draft.completed(draft, node.id, { ...more })) : Option.none()
    if (Option.isNone(kept)) return withResult(done, { ...result, proposedExpect: more.expect })
    const text = `${done.outcome.text}. From now on it expects ${wordsOf(more.expect)}; expect ${node.name} = none takes that away`
    return withResult(done, { ...result, keptExpect: more.expect }, { draft: kept.value, text })
  }
  if (!ProposedExpect.mayLead(node)) return done
  const settling = { waitMillis: sayingMillis, isThere: (): "all" => "all" }
  const after = yield* page.navigation.settled(said(done.stage), settling).pipe(
    Effect.map((settled) => settled.found),
    Effect.orElseSucceed(() => before.said)
  )
  const text = ProposedExpect.ofText(before.said, after)
  return text === null ? done : withResult(done, { ...result, proposedExpect: text })
})

const withResult = (done: TurnResult, result: ActionResult, more: Partial<Outcome> = {}): TurnResult => ({
  ...done,
  outcome: { ...done.outcome, ...more, result }
})

/** What is kept for a step, in words. */
const wordsOf = (expect: Schema.JsonObject): string =>
  (expect.conditions as ReadonlyArray<Schema.JsonObject>)
    .map(({ contains, selector }) =>
      selector === undefined ? `that the address contains ${JSON.stringify(contains)}` : `at least one ${selector}`
    )
    .join(" and ")

/** The text after a step with several branches. */
const openings: Readonly<Record<string, string>> = {
  true: "The condition holds here: the next steps are for the branch where it holds",
  false:
    "The condition does not hold here: the next steps are for the branch where it does not; join connects them to the node after the other branch",
  loop_not_done: "The next steps are the body of the loop, with the first item; leave repeats them for the other items"
}

/** Repeats one step of the draft, or a whole loop, on the current page. The draft and its cursor are unchanged. */
export const again = Effect.fn("Turn.again")(function* (draft: Draft.Draft, stage: Stage, named: string) {
  const graph = yield* graphOf(draft)
  if (graph === null) return unread(draft, stage)
  const all = [...graph.nodes.values()]
  const node = graph.nodes.get(named) ?? all.find(({ name }) => name === named)
  if (node === undefined || node.action === "END") {
    const names = all.flatMap(({ action, name }) => (action === "END" ? [] : [`"${name}"`]))
    const expected = names.slice(0, 20).join(", ")
    return settled(draft, stage, `Cannot do "${named.slice(0, 80)}" again: expected one of the steps ${expected}`, null)
  }
  const loop = GraphLoops.of(graph, node.id)
  if (loop !== null) return yield* loopAgain(draft, graph, stage, node, loop)
  const passed = yield* step(draft, graph, node, stage, yield* Clock.currentTimeMillis)
  if (Result.isFailure(passed)) return yield* failed(draft, stage, node, passed.failure, "completed")
  const { found, skipped, stage: here, unsure } = passed.success
  const text = skipped
    ? `Skipped: ${node.name}. Its run_if does not hold here`
    : `Done again: ${node.name}${doubts(unsure)}`
  return withWarnings(yield* succeeded(draft, here, node, text, found), unsure)
})

/** Carries out all turns of a loop from the current page. Extracted data replaces the earlier data. */
const loopAgain = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  graph: Graph,
  stage: Stage,
  node: Node,
  loop: GraphLoops.Loop
) {
  const { known } = stage
  if (known.loops.has(loop.head)) {
    const text = `Cannot do "${node.name}" again: its first turn is being recorded. leave does the turns that are left`
    return yield* refused(draft, stage, node, text)
  }
  const read = new Set(
    [...loop.nodes].flatMap((id) => {
      const one = Position.nodeOf(graph, id)
      return one.action === "EXTRACT_DATAMODEL" ? Object.keys(one.parameters.extract_data_model.properties ?? {}) : []
    })
  )
  const data = Object.fromEntries(Object.entries(known.memory.data).filter(([name]) => !read.has(name)))
  const fresh = { ...stage, known: { ...known, memory: { ...known.memory, data } } }
  const way = yield* walkAlong(Draft.passed(draft, loop.entry), graph, fresh, {
    stops: (_, next) => !loop.nodes.has(next.id),
    reached: () => Effect.void
  })
  if (way.failure !== null) return yield* failed(draft, stage, way.at, way.failure, "completed")
  const { memory } = way.stage.known
  const here = { ...stage, known: { ...known, memory: { ...memory, runtime: known.memory.runtime } } }
  const text = way.isLongest
    ? `Stopped after ${limits.steps} steps, the most at once`
    : `Done again: ${node.name}, ${counted(way.done)}${doubts(way.unsure)}`
  const found = way.reader === null ? null : Memory.named(memory, way.names)
  return withWarnings(yield* succeeded(draft, here, node, text, found), way.unsure)
})

/** Carries out the remaining turns of the loop around the next step, and stops after the loop. */
export const leave = Effect.fn("Turn.leave")(function* (
  draft: Draft.Draft,
  stage: Stage,
  walkTo: (stops: Walk["stops"]) => Walk
) {
  const loop = Draft.loopAround(draft)
  if (loop === null) return settled(draft, stage, "Nothing to leave: the next step is not in a loop", null)
  return yield* walk(
    draft,
    stage,
    walkTo(({ after, way }) => after === loop && way === "loop_done")
  )
})

/** The stage with other inputs, and the accounts in them. */
export const withInputs = (stage: Stage, inputs: Schema.JsonObject, accounts: StartingState["accounts"]): Stage => {
  const { memory } = stage.known
  const credentials = { ...memory.credentials, accounts }
  const beginning = { ...stage.beginning, accounts }
  return { ...stage, beginning, known: { ...stage.known, memory: { ...memory, inputs, credentials } } }
}

/** The stage without the effects of steps that are no longer part of the draft. */
export const without = (stage: Stage, draft: Draft.Draft): Stage => {
  const nodes = Draft.idsOf(draft)
  const gone = [...stage.before].findIndex(([id]) => !nodes.has(id))
  const known = [...stage.before.values()][gone]
  return known === undefined ? stage : { ...stage, known, before: new Map([...stage.before].slice(0, gone)) }
}

/** The graph of a draft; `null` if reading it exceeds a limit. */
const graphOf = (draft: Draft.Draft): Effect.Effect<Graph | null> =>
  Draft.graph(draft).pipe(Effect.catchTag("TooCostly", () => Effect.succeed(null)))

const unread = (draft: Draft.Draft, stage: Stage): TurnResult =>
  settled(
    draft,
    stage,
    "Nothing was done: reading the workflow exceeded a limit of time or memory. Send the message again later, or use a smaller workflow",
    null
  )

/** The result of a turn, preceded by a notice about credentials that cannot be used. */
export const withUnavailable = (done: TurnResult, unavailable: StartingState["unavailable"]): TurnResult => {
  const { hide } = secretsOf(done.stage)
  const text = [...unavailable.map(({ message }) => hide(`${message}.`)), done.outcome.text].join(" ")
  return { ...done, outcome: { ...done.outcome, text } }
}

/** The result of an interrupted turn. */
export const interrupted = (draft: Draft.Draft, stage: Stage): TurnResult => {
  const text = "Interrupted. No step was changed; the last action may have taken effect on the page"
  const done = settled(draft, stage, text, null)
  return { ...done, outcome: { ...done.outcome, rest: "idle" } }
}

/** The output of a step, and the draft and the stage after it. */
interface Passed {
  readonly draft: Draft.Draft
  readonly stage: Stage
  readonly found: Schema.JsonObject | null
  /** Whether the node was skipped, because its `run_if` does not hold. */
  readonly skipped: boolean
  /** What it was unsure of. */
  readonly unsure: ReadonlyArray<string>
}

/** Carries out one node like a run, without recoveries. The time limit of the turn counts from `began`. */
const step = Effect.fnUntraced(function* (
  draft: Draft.Draft,
  graph: Graph,
  node: Node,
  stage: Stage,
  began: number
): Effect.fn.Return<Result.Result<Passed, StepFailed>> {
  const position: Position.Position = { at: node.id, ...stage.known }
  const use = yield* ModelUse.current
  const { login } = Login.before(graph, [])
  const state: Stepper.State = { position, steps: 0, trail: [], acted: false, login, signsIn: false }
  const files: Array<Progress.KeptFile> = []
  const walk = walkOn(draft, graph, stage, began, files)
  const stepped = yield* Stepper.next(walk, state).pipe(Effect.provideService(ModelUse.ModelUse, use))
  if (stepped._tag === "Failed") return Result.fail(stepped.failure)
  if (stepped._tag === "Ended") return Result.succeed({ draft, stage, found: null, skipped: false, unsure: [] })
  const { done } = stepped
  const { loops, memory } = stepped.state.position
  const { way } = Position.wayOn(Position.edgeOf(graph, node.id), done)
  return Result.succeed({
    draft: Draft.passed(draft, { after: node.id, way }),
    stage: {
      ...stage,
      known: { memory, loops },
      progress: Progress.reached(stage.progress, node.id, done._tag === "Skipped" ? "skipped" : "done", files)
    },
    found: done._tag === "Found" ? done.found : null,
    skipped: done._tag === "Skipped",
    unsure: walk.warnings.map(({ message }) => message)
  })
})

/** Maximum number of warnings in a result. */
const mostWarnings = 100

const withWarnings = (done: TurnResult, unsure: ReadonlyArray<string>): TurnResult => {
  const { result } = done.outcome
  if (result === null || unsure.length === 0) return done
  return withResult(done, { ...result, warnings: unsure.slice(0, mostWarnings) })
}

/** How many warnings the text of a message names. */
const mostDoubts = 3

/** What steps were unsure of, as a part of a sentence. A run of a strict workflow would have failed by it. */
const doubts = (unsure: ReadonlyArray<string>): string => {
  if (unsure.length === 0) return ""
  const more = unsure.length > mostDoubts ? ` and ${unsure.length - mostDoubts} more` : ""
  return ` (unsure: ${unsure.slice(0, mostDoubts).join("; ")}${more})`
}

const walkOn = (
  draft: Draft.Draft,
  graph: Graph,
  stage: Stage,
  began: number,
  files: Array<Progress.KeptFile>
): Stepper.Walk<never> => {
  const { beginning, heard, known, page } = stage
  const { inputs } = known.memory
  const { popupXpaths } = RecoverySettings.of(draft.content.settings)
  return {
    execution: {
      graph,
      inputs,
      outputSchema: {},
      dryRun: null,
      correctable: false,
      recovery: { settings: { ...RecoverySettings.none, popupXpaths }, memories: noMemories },
      accounts: beginning.accounts,
      codes: beginning.codes,
      secrets: secretsOf(stage),
      session: beginning.session
    },
    page,
    heard,
    observer: observerFor(inputs, files),
    limits,
    began,
    tooLong,
    opened: stage.began,
    choices: new Map(),
    regions: new Map(),
    pagers: new Map(),
    warnings: []
  }
}

/** The observer of a conversation stores no screenshots, of files only name and size, and answers questions from the inputs. */
const observerFor = (inputs: Schema.JsonObject, files: Array<Progress.KeptFile>): Observer<never> => ({
  step: () => Effect.void,
  picture: () => Effect.void,
  before: () => Effect.void,
  file: ({ bytes, fileName }) =>
    Effect.match(bytes, {
      onSuccess: ({ length }) => {
        files.push({ name: fileName, bytes: length })
        return null
      },
      onFailure: ({ reason }) => reason
    }),
  person: {
    ask: ({ schema }) => fromInputs(schema, inputs),
    correct: () => Effect.succeed(null),
    // Who has the step done in the conversation could do the same by hand on its page.
    approve: () => Effect.succeed({ _tag: "Approved" })
  }
})

/** Answers the question of a step to a person from the inputs of the conversation, if they contain the answer. */
const fromInputs = Effect.fnUntraced(function* (schema: Schema.JsonObject, inputs: Schema.JsonObject) {
  const { properties } = schema
  const asked = typeof properties === "object" && properties !== null ? properties : {}
  const answer = Object.fromEntries(Object.entries(inputs).filter(([name]) => Object.hasOwn(asked, name)))
  const wrong = yield* Sandbox.runHere("violation", { schema, value: answer }).pipe(Effect.option)
  return Option.isSome(wrong) && wrong.value === null ? answer : null
})

const tooLong = new StepFailed({
  code: "LIMIT-E0002",
  sentence: `Ended after ${limits.millis / 60_000} minutes, the longest that one message may take`,
  original: null
})

const comesNext = (node: Node): string =>
  node.action === "END" ? "The end of the workflow comes next" : `Next comes "${node.name}"`

/** The outcome of a turn, with secrets hidden in its text. Secrets in its data are already hidden. */
const settled = (draft: Draft.Draft, stage: Stage, text: string, result: ActionResult | null): TurnResult => ({
  outcome: {
    draft,
    progress: stage.progress,
    text: secretsOf(stage).hide(text),
    result: shown(result, stage),
    rest: "completed",
    page: true
  },
  stage
})

/** The secrets that the steps of a stage have read, and those of the initial browser state. */
export const secretsOf = (stage: Stage) => stage.known.memory.credentials.secrets

const shown = (result: ActionResult | null, stage: Stage): ActionResult | null => {
  if (result === null) return null
  return { ...result, url: result.url === null ? null : secretsOf(stage).hide(result.url) }
}

const succeeded = (draft: Draft.Draft, stage: Stage, node: Node, text: string, found: Schema.JsonObject | null) =>
  Effect.gen(function* () {
    const url = yield* stage.page.navigation.address
    const where = `${text}. The page is at ${url}`
    if (found === null) return settled(draft, stage, where, about(node, true, url))
    if (!isShown(found)) {
      return settled(draft, stage, `${where}. It extracted more than a message can show`, about(node, true, url))
    }
    const data = yield* secretsOf(stage).hideInOutput(found)
    return settled(draft, stage, `${where}. ${told(data)}`, { ...about(node, true, url), data })
  })

/** The data as a sentence, for clients that show only the text. */
const told = (data: Schema.JsonObject): string => {
  const json = JSON.stringify(data)
  if (json.length <= maxTold) return `It extracted ${json}`
  return `It extracted ${json.length} characters of data, which begin with ${json.slice(0, maxTold)}`
}

/**
 * Whether the data is small enough for a message. Its size is measured first, because serializing large data blocks the
 * event loop.
 */
const isShown = (found: Schema.JsonObject): boolean =>
  Bounds.weightOf(found, maxShown) !== null && JSON.stringify(found).length <= maxShown

const refused = (draft: Draft.Draft, stage: Stage, node: Node, text: string) =>
  Effect.map(stage.page.navigation.address, (url) => settled(draft, stage, text, about(node, false, url)))

const failed = (draft: Draft.Draft, stage: Stage, node: Node, failure: StepFailed, rest: "completed" | "errored") =>
  Effect.map(stage.page.navigation.address, (url): TurnResult => {
    const gone = failure.code === "BROWSER-E0001"
    const text = `Node "${node.name}": ${failure.sentence} (at ${url})`
    const result = { ...about(node, false, url), errorCode: failure.code }
    const here = { ...stage, progress: Progress.reached(stage.progress, node.id, "failed") }
    const { outcome } = settled(draft, here, text, result)
    return { outcome: { ...outcome, rest: gone ? "errored" : rest, page: !gone }, stage: here }
  })

const about = (node: Node, done: boolean, url: string): ActionResult => ({
  done,
  action: node.action,
  nodeId: node.id,
  nodeName: node.name,
  url
})
