/**
 * Walks the graph of a workflow in a browser, from START to END, and answers what came of it.
 */
import { Clock, Effect, type Schema, type Scope } from "effect"
import type { LoginCodes } from "../tfa/LoginCodes.ts"
import type { Account } from "../vault/Account.ts"
import type { ActionName } from "../workflow/Action.ts"
import * as ErrorReferences from "../workflow/ErrorReferences.ts"
import type { Graph, Node } from "../workflow/Graph.ts"
import * as OutputContract from "../workflow/OutputContract.ts"
import { boolCondition } from "./action/BoolCondition.ts"
import { click } from "./action/Click.ts"
import { delay } from "./action/Delay.ts"
import { extractDatamodel } from "./action/ExtractDatamodel.ts"
import { inputSelect } from "./action/InputSelect.ts"
import { inputText } from "./action/InputText.ts"
import { navigate } from "./action/Navigate.ts"
import { screenshot } from "./action/Screenshot.ts"
import { tfa } from "./action/Tfa.ts"
import { userInteraction } from "./action/UserInteraction.ts"
import { Browser, type Page, type Shot } from "./Browser.ts"
import { redactUrl } from "./Exchange.ts"
import { type Code, declared, kinds, ofPage, StepFailed } from "./Failure.ts"
import * as Login from "./Login.ts"
import * as Memory from "./Memory.ts"
import type { Person } from "./Person.ts"
import * as Position from "./Position.ts"
import * as Recovery from "./Recovery.ts"
import type { Secrets } from "./Secrets.ts"
import type { Session } from "./Session.ts"
import type { Action, Done, Surroundings } from "./Step.ts"

/** What is executed. */
export interface Execution {
  readonly graph: Graph
  readonly inputs: Schema.JsonObject
  readonly outputSchema: Schema.JsonObject
  /** Present in a dry run: what is added to its output. */
  readonly dryRun: { readonly addToOutput: Schema.JsonObject } | null
  /** Whether a person may correct inputs that a step cannot use. */
  readonly correctable: boolean
  /** The credentials that it signs in with, by the aliases that the graph knows them by. */
  readonly accounts: ReadonlyMap<string, Account>
  /** Where its one-time codes come from; `null` when a person is to be asked for each. */
  readonly codes: LoginCodes["Service"] | null
  /** Takes up what the execution learns that must not be told, and hides it in the outcome and in what observers hear. */
  readonly secrets: Secrets
  /** What the browser begins with. */
  readonly session: Session
}

/** How far a run may go, whatever its graph says. */
export interface Limits {
  readonly steps: number
  readonly millis: number
}

export const defaultLimits: Limits = { steps: 50_000, millis: 60 * 60_000 }

/** A picture and the step it shows. `error` when it shows why a step failed. */
export interface Picture extends Shot {
  readonly node: Node
  readonly error: boolean
  readonly fullPage: boolean
  readonly metadata: Schema.JsonObject
}

/** Is told of an execution while it goes on. An observer that fails ends the execution with its failure. */
export interface Observer<E> {
  /** A step begins. `following` is the step after it, where that does not depend on what happens. */
  readonly step: (node: Node, following: Node | null) => Effect.Effect<void, E>
  readonly picture: (picture: Picture) => Effect.Effect<void, E>
  /** Awaited before the first step that acts on the site, and before each that must not be repeated. */
  readonly before: (mark: "acting" | "committing") => Effect.Effect<void, E>
  /** The login with a credential begins, which is awaited, or is over. Either is told at most once of each. */
  readonly login?: (alias: string, phase: "begins" | "over") => Effect.Effect<void, E>
  /** Who answers what the execution asks. */
  readonly person: Person
  /** The session was opened. What is begun in the scope ends with the session. */
  readonly opened?: (page: Page) => Effect.Effect<void, E, Scope.Scope>
  /** The page as a node begins, END included when it succeeds, and again as a node has failed. */
  readonly seen?: (page: Page, node: Node, moment: "begins" | "failed") => Effect.Effect<void, E>
  /** How the execution ended, while its session is still open. Not told of one that is interrupted. */
  readonly over?: (page: Page, outcome: Outcome) => Effect.Effect<void, E>
}

/** The failure of an execution, and the step that failed. */
export interface Failure {
  readonly code: Code
  readonly category: (typeof kinds)[Code]
  readonly message: string
  readonly original: string | null
  /** The id of the error code that the node names for this failure. */
  readonly errorCodeId: string | null
  readonly node: Node | null
  readonly address: string | null
  /** The credential that the site refused, as far as its page tells; `null` when the failure is another. */
  readonly failedLogin: string | null
}

/** How an execution ended. A failed one keeps the data that it had gathered. */
export type Outcome =
  | { readonly _tag: "Success"; readonly data: Schema.JsonObject }
  | { readonly _tag: "Failed"; readonly data: Schema.JsonObject; readonly failure: Failure }

/**
 * Executes a graph in a session of its own, which is closed when it ends or is interrupted.
 *
 * Everything that goes wrong in the browser or the graph is part of the outcome, with a picture of the page where there
 * is one. The error channel is the observer's.
 */
export const run = <E>(
  execution: Execution,
  observer: Observer<E>,
  limits: Limits = defaultLimits
): Effect.Effect<Outcome, E, Browser> =>
  Effect.scoped(
    Effect.gen(function* () {
      const browser = yield* Browser
      const opened = yield* Effect.result(browser.open(execution.session))
      if (opened._tag === "Failure") {
        return failed({}, ofPage("open a browser", opened.failure), null, null, execution.secrets)
      }
      if (observer.opened !== undefined) yield* observer.opened(opened.success)
      const outcome = yield* walk(execution, observer, limits, opened.success)
      yield* observer.over?.(opened.success, outcome) ?? Effect.void
      return outcome
    })
  )

const walk = Effect.fnUntraced(function* <E>(execution: Execution, observer: Observer<E>, limits: Limits, page: Page) {
  const { graph } = execution
  const began = yield* Clock.currentTimeMillis
  const { accounts, secrets } = execution
  const recovery = { page, person: observer.person, choices: new Map<string, string>() }
  let position = Position.before(graph, Memory.initial(execution.inputs, { accounts, secrets }))
  let acted = false
  const moved = ({ aliases, login: next }: Login.Moved, phase: "begins" | "over") => {
    login = next
    return Effect.forEach(aliases, (alias) => observer.login?.(alias, phase) ?? Effect.void, { discard: true })
  }
  const unbegun = Login.before(graph, accounts.keys())
  let { login } = unbegun
  yield* moved(unbegun, "over")

  for (let steps = 1; ; steps++) {
    const node = Position.nodeOf(graph, position.at)
    if (node.action === "END" || (execution.dryRun !== null && endsDryRun(node))) {
      const outcome = finish(execution, position.memory, node)
      if (outcome._tag === "Success") yield* observer.seen?.(page, node, "begins") ?? Effect.void
      return outcome
    }
    yield* observer.step(node, following(graph, node))
    yield* observer.seen?.(page, node, "begins") ?? Effect.void
    const outOfBounds = exceeded(limits, steps, (yield* Clock.currentTimeMillis) - began)
    if (outOfBounds === null) yield* moved(Login.begin(login, node), "begins")
    if (!acted && acts(node)) {
      yield* observer.before("acting")
      acted = true
    }
    if (isNotRepeatable(node)) yield* observer.before("committing")

    const pictures: Array<Picture> = []
    const attempt = Effect.fnUntraced(function* (known: Memory.Memory, option: string | null) {
      const surroundings: Surroundings = {
        page,
        memory: known,
        shoot: (shot, { fullPage, metadata }) =>
          Effect.sync(
            () => void pictures.push({ ...shot, fullPage, metadata: secrets.hideIn(metadata), node, error: false })
          ),
        ask: (question) => observer.person.ask({ ...question, node }),
        option,
        codes: execution.codes,
        began
      }
      const step = outOfBounds !== null ? Effect.fail(outOfBounds) : perform(node, position, surroundings)
      const left = Math.max(began + limits.millis - (yield* Clock.currentTimeMillis), 0)
      return yield* step.pipe(
        Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(tooLong(limits)) }),
        Effect.result
      )
    })
    const first = yield* attempt(position.memory, null)
    const mended =
      first._tag === "Failure" && execution.correctable
        ? yield* Recovery.mend(node, first.failure, position.memory, recovery, attempt)
        : { done: first, memory: position.memory }
    const { done, memory } = mended
    yield* Effect.forEach(pictures, observer.picture, { discard: true })
    if (done._tag === "Failure") {
      const shot = yield* Effect.result(page.glimpse)
      if (shot._tag === "Success") {
        yield* observer.picture({ ...shot.success, node, error: true, fullPage: false, metadata: {} })
      }
      yield* observer.seen?.(page, node, "failed") ?? Effect.void
      const address = redactUrl(secrets.hide(yield* page.address))
      const failedLogin = Login.isByThePage(done.failure.code) ? Login.underWay(login) : null
      return failed(secrets.hideInData(memory.data), done.failure, node, address, secrets, failedLogin)
    }
    position = Position.after(graph, { ...position, memory }, done.success)
    yield* moved(Login.after(login, node, position.at), "over")
  }
})

/** Does the node that comes next in a position, on the page of the surroundings. */
export const perform = (
  node: Exclude<Node, { action: "END" }>,
  { loops }: Position.Position,
  surroundings: Surroundings
): Effect.Effect<Done | Position.Turned, StepFailed> => {
  if (node.action === "LOOP") return turn(node, loops.get(node.id), surroundings)
  const action = actions[node.action] as Action<ActionName>
  return action(node, surroundings)
}

const actions: { readonly [A in Exclude<ActionName, "LOOP" | "END">]: Action<A> } = {
  START: navigate as Action<"START">,
  NAVIGATE: navigate as Action<"NAVIGATE">,
  CLICK: click,
  INPUT_TEXT: inputText,
  INPUT_SELECT: inputSelect,
  EXTRACT_DATAMODEL: extractDatamodel,
  BOOL_CONDITION: boolCondition,
  DELAY: delay,
  SCREENSHOT: screenshot,
  USER_INTERACTION: userInteraction,
  TFA: tfa
}

/** Begins a loop, or goes on with the one under way. */
const turn = Effect.fnUntraced(function* (
  node: Position.LoopNode,
  loop: Position.Loop | undefined,
  { memory, page }: Surroundings
) {
  const items = loop?.items ?? (yield* itemsOf(node, memory, page))
  const index = loop === undefined ? 0 : loop.index + 1
  return { _tag: "Turned", loop: index < items.length ? { items, index } : null } satisfies Position.Turned
})

const itemsOf = Effect.fnUntraced(function* (node: Position.LoopNode, memory: Memory.Memory, page: Page) {
  const over = node.parameters.variable_over
  const value = typeof over === "string" ? yield* Memory.evaluate(over, memory, page) : over
  const items = asItems(value)
  return (
    items ??
    (yield* new StepFailed({
      code: "TEMPLATE-E0001",
      sentence: `Cannot loop over ${Memory.asText(value).slice(0, 100) || "nothing"}: expected a list, or a number of turns`,
      original: null
    }))
  )
})

const maxTurns = 100_000

const asItems = (value: Schema.Json): ReadonlyArray<Schema.Json> | null => {
  if (Array.isArray(value)) return value
  if (typeof value === "string") {
    try {
      const parsed: unknown = JSON.parse(value)
      return typeof parsed === "string" ? null : asItems(parsed as Schema.Json)
    } catch {
      return null
    }
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > maxTurns) return null
  return Array.from({ length: value }, (_, index) => index)
}

const finish = (execution: Execution, memory: Memory.Memory, node: Node): Outcome => {
  const data = Memory.gathered(memory, execution.outputSchema)
  const output = { ...OutputContract.project(execution.outputSchema, data), ...execution.dryRun?.addToOutput }
  const mismatch = execution.dryRun === null ? OutputContract.mismatch(execution.outputSchema, output) : null
  const { secrets } = execution
  if (mismatch === null) return { _tag: "Success", data: secrets.hideInData(output) }
  return failed(
    secrets.hideInData(output),
    new StepFailed({ code: "OUTPUT_SCHEMA_MISMATCH", sentence: mismatch, original: null }),
    node,
    null,
    secrets
  )
}

const failed = (
  data: Schema.JsonObject,
  { code, original, sentence }: StepFailed,
  node: Node | null,
  address: string | null,
  secrets: Secrets,
  failedLogin: string | null = null
): Outcome => {
  const { hide } = secrets
  const where = address === null ? "" : ` (at ${address})`
  const said = node === null ? null : declared(node, code)
  const errorCodeId = said === null ? null : ErrorReferences.idIn(said)
  const words = errorCodeId === null ? said : null
  const told = words ?? sentence
  return {
    _tag: "Failed",
    data,
    failure: {
      code,
      category: kinds[code],
      message: hide(node === null ? told : `Node "${node.name}": ${told}${where}`),
      original: words === null ? (original === null ? null : hide(original)) : hide(sentence),
      errorCodeId,
      node,
      address: address === null ? null : hide(address),
      failedLogin
    }
  }
}

const exceeded = (limits: Limits, steps: number, millis: number): StepFailed | null => {
  if (millis >= limits.millis) return tooLong(limits)
  if (steps <= limits.steps) return null
  return new StepFailed({
    code: "LIMIT-E0001",
    sentence: `Ended after ${limits.steps} steps, the most that a run may take`,
    original: null
  })
}

const tooLong = (limits: Limits): StepFailed =>
  new StepFailed({
    code: "LIMIT-E0002",
    sentence: `Ended after ${limits.millis / 60_000} minutes, the longest that a run may take`,
    original: null
  })

/** Opening and reading pages does nothing on the site that a second attempt would do again. */
const acts = (node: Node): boolean =>
  node.action === "CLICK" || node.action === "INPUT_TEXT" || node.action === "INPUT_SELECT" || node.action === "TFA"

const isNotRepeatable = (node: Node): boolean =>
  "not_repeatable" in node.parameters && node.parameters.not_repeatable === true

const endsDryRun = (node: Node): boolean =>
  "end_here_on_dry_run" in node.parameters && node.parameters.end_here_on_dry_run === true

const following = (graph: Graph, node: Node): Node | null => {
  const edge = graph.edges.get(node.id)
  return edge?._tag === "Next" ? Position.nodeOf(graph, edge.to) : null
}
