/**
 * Does the turns of a conversation on its page, with the actions that runs are made of.
 */
import { Clock, Effect, Option, Redacted, Result, type Schema } from "effect"
import { StepFailed } from "../agent/Failure.ts"
import type { Limits } from "../agent/Limits.ts"
import * as Memory from "../agent/Memory.ts"
import { ModelBudget } from "../agent/model/Budget.ts"
import * as ModelUse from "../agent/model/ModelUse.ts"
import { perform } from "../agent/Perform.ts"
import * as Position from "../agent/Position.ts"
import type { Page } from "../agent/page/Browser.ts"
import * as Session from "../agent/page/Session.ts"
import { Secrets } from "../agent/Secrets.ts"
import type { Surroundings } from "../agent/Step.ts"
import type { Graph, Node, NodeId } from "../workflow/Graph.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import type { Beginning } from "./Beginning.ts"
import type { Candidate } from "./Command.ts"
import type { Outcome } from "./Conversation.ts"
import * as Draft from "./Draft.ts"
import type { ActionResult } from "./Message.ts"

/** What is known at some point of a conversation. */
type Known = Pick<Position.Position, "memory" | "loops">

/** A page that is open, and what is known there. It is gone with the page. */
export interface Stage {
  readonly page: Page
  /** When the page was opened. What was sent before is not meant for a login on it. */
  readonly began: number
  readonly codes: Beginning["codes"]
  readonly allowedSites: Session.Session["allowedSites"]
  readonly known: Known
  /** What was known before each step that a message added, so that a step that is taken back leaves nothing behind. */
  readonly before: ReadonlyMap<NodeId, Known>
}

/** A page on which nothing was done yet, in this session. */
export const newStage = (
  page: Page,
  inputs: Schema.JsonObject,
  { accounts, codes, session }: Beginning,
  began: number
): Stage => {
  const secrets = new Secrets()
  for (const value of Session.secrets(session)) secrets.add(Redacted.value(value), "secret")
  const memory = Memory.initial(inputs, { accounts, secrets })
  const { allowedSites } = session
  return { page, began, codes, allowedSites, known: { memory, loops: new Map() }, before: new Map() }
}

/** What became of the conversation, and of its page. */
export interface Done {
  readonly outcome: Outcome
  readonly stage: Stage
}

/** How far one turn may go through a draft, whose loops may have no end. */
export const limits: Limits = { steps: 10_000, millis: 10 * 60_000 }

/** How much extracted data a message shows, in characters of JSON. */
const maxShown = 100_000

/** A walk through the draft. */
export interface Walk {
  /** Whether it stops before the node that comes next. Every walk stops at the end. */
  readonly stops: (cursor: Draft.Cursor, next: Node) => boolean
  /** Is told of the draft and the stage behind each step. */
  readonly reached: (draft: Draft.Draft, stage: Stage) => Effect.Effect<void>
}

/** Opens the start page, and walks on from there where a walk is given. */
export const open = Effect.fn("Turn.open")(function* (draft: Draft.Draft, stage: Stage, onward: Walk | null) {
  const graph = Draft.graph(draft)
  const start = Position.nodeOf(graph, graph.start)
  const opened = yield* Effect.result(bounded(step(draft, graph, start, stage), limits.millis))
  const behindStart = Draft.passed(draft, { after: start.id, way: "to" })
  if (Result.isFailure(opened)) return yield* failed(behindStart, stage, start, opened.failure, "errored")
  if (onward !== null) return yield* walk(behindStart, opened.success.stage, onward)
  return settled(behindStart, opened.success.stage, `Opened ${yield* stage.page.address}`, null)
})

/** Does the steps of the draft that come next. A step that fails is where the walk stays. */
export const walk = Effect.fn("Turn.walk")(function* (draft: Draft.Draft, stage: Stage, onward: Walk) {
  const graph = Draft.graph(draft)
  const began = yield* Clock.currentTimeMillis
  let [now, here, steps] = [draft, stage, 0]
  while (true) {
    const node = Draft.next(now, graph)
    if (node.action === "END" || onward.stops(now.cursor, node)) {
      const did = `Did ${steps} step${steps === 1 ? "" : "s"}. ${comesNext(node)}`
      return settled(now, here, `${did}. The page is at ${yield* here.page.address}`, null)
    }
    if (steps === limits.steps) {
      return settled(now, here, `Stopped after ${steps} steps, the most at once. ${comesNext(node)}`, null)
    }
    const left = began + limits.millis - (yield* Clock.currentTimeMillis)
    const done = yield* Effect.result(bounded(step(now, graph, node, here), left))
    if (Result.isFailure(done)) return yield* failed(now, here, node, done.failure, "idle")
    now = done.success.draft
    here = done.success.stage
    yield* onward.reached(now, here)
    steps++
  }
})

/** Does the one step of the draft that comes next. */
export const next = Effect.fn("Turn.next")(function* (draft: Draft.Draft, stage: Stage) {
  const graph = Draft.graph(draft)
  const node = Draft.next(draft, graph)
  if (node.action === "END") return settled(draft, stage, `There is nothing to do: ${comesNext(node)}`, null)
  const done = yield* Effect.result(bounded(step(draft, graph, node, stage), limits.millis))
  if (Result.isFailure(done)) return yield* failed(draft, stage, node, done.failure, "idle")
  const after = done.success
  const text = `Done: ${node.name}. ${comesNext(Draft.next(after.draft, graph))}`
  return yield* succeeded(after.draft, after.stage, node, text, after.found)
})

/** Does an action that becomes a step of the draft when it succeeds; the draft is unchanged when it fails. */
export const act = Effect.fn("Turn.act")(function* (
  draft: Draft.Draft,
  stage: Stage,
  candidate: Candidate,
  ids: { readonly node: NodeId; readonly end: NodeId }
) {
  const inserted = Draft.insert(draft, candidate, ids)
  if (Result.isFailure(inserted)) {
    const problems = inserted.failure.map(({ message, path }) => `${path}: ${message}`).join("; ")
    return settled(draft, stage, `This cannot be done: ${problems}`, null)
  }
  const { node } = inserted.success
  const graph = Draft.graph(inserted.success.draft)
  const done = yield* Effect.result(bounded(step(inserted.success.draft, graph, node, stage), limits.millis))
  if (Result.isFailure(done)) return yield* failed(draft, stage, node, done.failure, "idle")
  const after = done.success
  if (after.draft.cursor.way === "false") {
    return yield* refused(draft, stage, node, "The condition does not hold here. The draft is unchanged")
  }
  const before = new Map([...stage.before, [node.id, stage.known] as const])
  return yield* succeeded(after.draft, { ...after.stage, before }, node, `Done: ${node.name}`, after.found)
})

/** The stage without what steps have left behind that are no longer part of the draft. */
export const without = (stage: Stage, draft: Draft.Draft): Stage => {
  const { nodes } = Draft.graph(draft)
  const gone = [...stage.before].findIndex(([id]) => !nodes.has(id))
  const known = [...stage.before.values()][gone]
  return known === undefined ? stage : { ...stage, known, before: new Map([...stage.before].slice(0, gone)) }
}

/** What was done, and before it that some credentials cannot be used. */
export const withUnavailable = (done: Done, unavailable: Beginning["unavailable"]): Done => {
  const { hide } = secretsOf(done.stage)
  const text = [...unavailable.map(({ message }) => hide(`${message}.`)), done.outcome.text].join(" ")
  return { ...done, outcome: { ...done.outcome, text } }
}

/** A turn that was stopped on the way. */
export const interrupted = (draft: Draft.Draft, stage: Stage): Done =>
  settled(draft, stage, "Interrupted. No step was changed; what was under way may have taken effect on the page", null)

/** One step: the draft and the stage behind it, and what it brought. */
const step = Effect.fnUntraced(function* (draft: Draft.Draft, graph: Graph, node: Node, stage: Stage) {
  const position: Position.Position = { at: node.id, ...stage.known }
  const surroundings: Surroundings = {
    page: stage.page,
    memory: stage.known.memory,
    shoot: () => Effect.void,
    keep: ({ discard }) => discard,
    ask: ({ schema }) => fromInputs(schema, stage.known.memory.inputs),
    option: null,
    heard: null,
    manualCaptcha: false,
    codes: stage.codes,
    allowedSites: stage.allowedSites,
    began: stage.began
  }
  if (node.action === "END") return { draft, stage, found: null }
  const use = ModelUse.make(yield* ModelBudget, () => Effect.void)
  const done = yield* Effect.provideService(perform(node, position, surroundings), ModelUse.ModelUse, use)
  const { loops, memory } = Position.after(graph, position, done)
  const { way } = Position.wayOn(Position.edgeOf(graph, node.id), done)
  return {
    draft: Draft.passed(draft, { after: node.id, way }),
    stage: { ...stage, known: { memory, loops } },
    found: done._tag === "Found" ? done.found : null
  }
})

/** What a step asks a person for is taken from the inputs of the conversation, where they have it. */
const fromInputs = Effect.fnUntraced(function* (schema: Schema.JsonObject, inputs: Schema.JsonObject) {
  const { properties } = schema
  const asked = typeof properties === "object" && properties !== null ? properties : {}
  const answer = Object.fromEntries(Object.entries(inputs).filter(([name]) => Object.hasOwn(asked, name)))
  const wrong = yield* Sandbox.runHere("violation", { schema, value: answer }).pipe(Effect.option)
  return Option.isSome(wrong) && wrong.value === null ? answer : null
})

const bounded = <A>(effect: Effect.Effect<A, StepFailed>, millis: number): Effect.Effect<A, StepFailed> =>
  Effect.timeoutOrElse(effect, {
    duration: Math.max(millis, 0),
    orElse: () =>
      Effect.fail(
        new StepFailed({
          code: "LIMIT-E0002",
          sentence: `Ended after ${limits.millis / 60_000} minutes, the longest that one message may take`,
          original: null
        })
      )
  })

const comesNext = (node: Node): string =>
  node.action === "END" ? "The end of the workflow comes next" : `Next comes "${node.name}"`

/** What a turn tells, without its secrets. */
const settled = (draft: Draft.Draft, stage: Stage, text: string, result: ActionResult | null): Done => ({
  outcome: { draft, text: secretsOf(stage).hide(text), result: told(result, stage), rest: "idle", page: true },
  stage
})

/** The secrets that the steps on a stage have read, and those that its browser began with. */
export const secretsOf = (stage: Stage) => stage.known.memory.credentials.secrets

const told = (result: ActionResult | null, stage: Stage): ActionResult | null => {
  if (result === null) return null
  const { hide, hideInData } = secretsOf(stage)
  const data = result.data === undefined ? {} : { data: hideInData(result.data) }
  return { ...result, url: result.url === null ? null : hide(result.url), ...data }
}

const succeeded = (draft: Draft.Draft, stage: Stage, node: Node, text: string, found: Schema.JsonObject | null) =>
  Effect.map(stage.page.address, (url) => {
    const shown = found !== null && JSON.stringify(found).length <= maxShown ? { data: found } : {}
    const more = found !== null && !("data" in shown) ? ". It extracted more than a message can show" : ""
    return settled(draft, stage, `${text}. The page is at ${url}${more}`, { ...about(node, true, url), ...shown })
  })

const refused = (draft: Draft.Draft, stage: Stage, node: Node, text: string) =>
  Effect.map(stage.page.address, (url) => settled(draft, stage, text, about(node, false, url)))

const failed = (draft: Draft.Draft, stage: Stage, node: Node, failure: StepFailed, rest: "idle" | "errored") =>
  Effect.map(stage.page.address, (url): Done => {
    const gone = failure.code === "BROWSER-E0001"
    const text = `Node "${node.name}": ${failure.sentence} (at ${url})`
    const result = { ...about(node, false, url), errorCode: failure.code }
    const { outcome } = settled(draft, stage, text, result)
    return { outcome: { ...outcome, rest: gone ? "errored" : rest, page: !gone }, stage }
  })

const about = (node: Node, done: boolean, url: string): ActionResult => ({
  done,
  action: node.action,
  nodeId: node.id,
  nodeName: node.name,
  url
})
