/**
 * The only interpreter of graphs: it executes one node and returns the next position. Runs and conversations of the
 * builder both use it, so a step does the same in either.
 */
import { Clock, Effect, Ref, Result } from "effect"
import type { BrowserSession } from "../browser/Browser.ts"
import { cleanOf, scrubbed } from "../browser/element/Appearance.ts"
import type { Download } from "../browser/file/DownloadPorts.ts"
import { type LoopTurn, mostShown, shownItem } from "../event/LoopTurn.ts"
import type { RunWarning } from "../event/RunWarning.ts"
import type { Secrets } from "../redaction/Secrets.ts"
import * as Measures from "../runtime/Measures.ts"
import * as Trace from "../runtime/Trace.ts"
import * as Approval from "../workflow/language/graph/Approval.ts"
import * as Comparison from "../workflow/language/graph/Comparison.ts"
import * as Expect from "../workflow/language/graph/Expect.ts"
import type { Graph, Node, NodeId } from "../workflow/language/graph/Graph.ts"
import * as RunIf from "../workflow/language/graph/RunIf.ts"
import { defaultWaitMillis } from "../workflow/language/parameters/Fields.ts"
import * as Patch from "../workflow/patch/Patch.ts"
import * as PlainForm from "../workflow/patch/PlainForm.ts"
import * as Approving from "./approval/Approving.ts"
import * as Rehearsal from "./approval/Rehearsal.ts"
import type { ProposedForm } from "./compile/Compiling.ts"
import * as Compiling from "./compile/Compiling.ts"
import * as PlainStep from "./compile/PlainStep.ts"
import type { Execution } from "./Execution.ts"
import * as ExpectationWait from "./ExpectationWait.ts"
import { ofPage, StepFailed } from "./Failure.ts"
import { exceeded, type Limits } from "./Limits.ts"
import * as Login from "./login/Login.ts"
import * as ModelUse from "./model/ModelUse.ts"
import type { NetworkRecorder } from "./network/NetworkRecorder.ts"
import type { DownloadedFile, Observer, Picture } from "./Observer.ts"
import * as Pagers from "./Pagers.ts"
import { alone, perform } from "./Perform.ts"
import * as Position from "./Position.ts"
import * as Classification from "./recovery/Classification.ts"
import { isStale, nothing, selectorOf } from "./recovery/ElementMemory.ts"
import * as OverlayDismissal from "./recovery/OverlayDismissal.ts"
import * as Recovery from "./recovery/Recovery.ts"
import { none } from "./recovery/RecoverySettings.ts"
import type { Choices, CompletedStep, RecoveryContext } from "./recovery/RecoveryStrategy.ts"
import { noting, type TouchedElement } from "./recovery/TouchedElement.ts"
import type { Done, StepContext } from "./Step.ts"
import * as Memory from "./variables/Memory.ts"
import type { Warning } from "./Warning.ts"

/** The execution of a graph on an open page. */
export interface Walk<E> {
  readonly execution: Execution
  readonly page: BrowserSession
  /** The network responses recorded since the page was opened; `null` where the graph does not read them. */
  readonly heard: NetworkRecorder | null
  readonly observer: Observer<E>
  readonly limits: Limits
  /** The instant that the time limit counts from, and the failure of a step that exceeds it. */
  readonly began: number
  readonly tooLong: StepFailed
  /** The instant at which the page was opened. One-time codes that were sent earlier are not used. */
  readonly opened: number
  readonly choices: Choices
  /** The content of page regions before the last action, by the node that waits for a change of its region. */
  readonly regions: Map<NodeId, string>
  /** What the conditions that end loops over pages have seen. */
  readonly pagers: Pagers.Pagers
  /** The warnings of all steps so far, the newest of them. */
  readonly warnings: Array<RunWarning>
}

/** The position of a walk, and its history. */
export interface State {
  readonly position: Position.Position
  /** The number of nodes that were reached. */
  readonly steps: number
  /** The newest steps that acted on elements, oldest first. */
  readonly trail: ReadonlyArray<CompletedStep>
  /** Whether a step has acted on the site. */
  readonly acted: boolean
  readonly login: Login.Login
  /** Whether a login has begun. */
  readonly signsIn: boolean
}

/** The result of one step of the walk. */
export type StepResult =
  /** The node was done or skipped, and the next one follows. */
  | { readonly _tag: "Moved"; readonly node: Node; readonly done: Done | Position.LoopTurn; readonly state: State }
  /** The walk is over: it reached END, or the end of a dry run. */
  | { readonly _tag: "Ended"; readonly node: Node; readonly memory: Memory.Memory }
  | {
      readonly _tag: "Failed"
      readonly node: Node
      readonly failure: StepFailed
      readonly classification: Classification.Classification
      /** The credential that the site refused, if its page shows that. */
      readonly failedLogin: string | null
    }

/** The state before the first node. Reports the logins that no step needs. */
export const begin = Effect.fnUntraced(function* <E>({ execution, observer }: Walk<E>): Effect.fn.Return<State, E> {
  const { accounts, graph, inputs, secrets } = execution
  const { aliases, login } = Login.before(graph, accounts.keys())
  yield* announceLogins(observer, aliases, "over")
  const position = Position.before(graph, Memory.initial(inputs, { accounts, secrets }))
  return { position, steps: 0, trail: [], acted: false, login, signsIn: false }
})

/**
 * Executes the next node. A node whose `run_if` does not hold is skipped; a node that fails is recovered if the
 * execution allows it. The error channel is the observer's.
 */
export const next = Effect.fnUntraced(function* <E>(walk: Walk<E>, before: State): Effect.fn.Return<StepResult, E> {
  const { execution, observer, page } = walk
  const state = { ...before, steps: before.steps + 1 }
  const node = Position.nodeOf(execution.graph, state.position.at)
  // Before the first page there is nothing to control.
  if (node.action !== "START") yield* observer.hold ?? Effect.void
  if (node.action === "END" || (execution.dryRun !== null && endsDryRun(node))) return yield* ended(walk, state, node)
  const outOfBounds = exceeded(walk.limits, state.steps, (yield* Clock.currentTimeMillis) - walk.began)
  // A skipped node leaves no mark. A condition that cannot be decided fails with its step.
  const skips = outOfBounds === null ? yield* decide(walk, node, state.position.memory) : Result.fail(outOfBounds)
  if (Result.isSuccess(skips) && skips.success) {
    yield* observer.skipped?.(node, loopsAround(walk, state)) ?? Effect.void
    return yield* moved(walk, state, node, { _tag: "Skipped" })
  }
  yield* observer.step(node, following(execution.graph, node), loopsAround(walk, state))
  yield* observer.seen?.(page, node, "begins") ?? Effect.void
  const started = outOfBounds === null ? yield* start(walk, state, node) : state
  return yield* measured(node, carryOut(walk, started, node, skips))
})

/** The turns of the loops around the next node, as they may leave the run. No loop is over what was made with a secret. */
const loopsAround = ({ execution: { graph, secrets } }: Walk<unknown>, { position }: State): ReadonlyArray<LoopTurn> =>
  Position.loopsAround(graph, position).map(({ loop: { index, items }, node: { id, name } }) => ({
    node: { id, name },
    index,
    count: items.length,
    item: shownItem(items[index] ?? null, (value) => secrets.hideWithin(Memory.asText(value), mostShown))
  }))

/** The end of the walk: what the last act began is over, as far as it is waited for, and what END expects is true. */
const ended = Effect.fnUntraced(function* <E>(walk: Walk<E>, state: State, node: Node) {
  const { acted, position, signsIn, trail } = state
  const { memory } = position
  const expect = node.action === "END" ? Expect.of(node) : null
  const { heard, page } = walk
  const since = heard?.mark() ?? null
  const step = { memory, page, heard, since, files: [], acted: false }
  // What a page saves a moment after it was typed is saved.
  const over = acted ? page.navigation.over(defaultWaitMillis) : Effect.void
  const ending = Effect.mapError(over, (failure) => ofPage("end", failure))
  const holds = expect === null ? Effect.void : ExpectationWait.until(expect, step)
  const kept = yield* withinTime(walk, Effect.andThen(ending, holds))
  if (Result.isSuccess(kept)) return { _tag: "Ended", node, memory } satisfies StepResult
  const { failure } = kept
  if (failure.unmet !== undefined) {
    const again = withinTime(walk, holds)
    const known = { node, failure, memory, page, trail, signedIn: signsIn, signsIn: false }
    const done = yield* Recovery.recover(
      known,
      meansOf(walk),
      listenerOf(walk.observer),
      () => again,
      () => again
    )
    if (done._tag === "Done") return { _tag: "Ended", node, memory } satisfies StepResult
    const { classification } = done
    return { _tag: "Failed", node, failure: done.failure, classification, failedLogin: null } satisfies StepResult
  }
  const classification = Classification.of(failure, null, { signedIn: false, typed: false })
  return { _tag: "Failed", node, failure, classification, failedLogin: null } satisfies StepResult
})

/** Measures how long a node takes, and records it in the trace of the run. */
const measured = <E>(node: Node, stepped: Effect.Effect<StepResult, E>): Effect.Effect<StepResult, E> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const result = yield* stepped
    yield* Trace.annotate({ "sluice.result": result._tag })
    yield* Measures.nodeDone(node.action, ((yield* Clock.currentTimeMillis) - began) / 1_000)
    return result
  }).pipe(
    Trace.inSpan(`node ${node.action}`, {
      attributes: { "sluice.node.id": node.id, "sluice.node.action": node.action }
    })
  )

/** Whether a node is skipped, decided within the limit of time. */
const decide = <E>(walk: Walk<E>, node: Node, memory: Memory.Memory) =>
  withinTime(walk, isSkipped(node, { memory, page: walk.page }))

/** Whether the `run_if` of a node does not hold. */
const isSkipped = Effect.fnUntraced(function* (node: Node, { memory, page }: Pick<StepContext, "memory" | "page">) {
  const runIf = RunIf.of(node)
  if (runIf === null) return false
  const isAny = runIf.match === "any"
  for (const { field, operator, value = null } of runIf.conditions) {
    const known = yield* Memory.evaluateExpression(field, memory, page, Memory.policyOf(field, operator))
    const other = typeof value === "string" ? yield* Memory.evaluate(value, memory, page) : value
    if (Comparison.holdsOfField(operator, known, other) === isAny) return !isAny
  }
  return isAny
})

const withinTime = Effect.fnUntraced(function* <A, E>(
  { began, limits, tooLong }: Walk<E>,
  effect: Effect.Effect<A, StepFailed>
) {
  const left = Math.max(began + limits.millis - (yield* Clock.currentTimeMillis), 0)
  return yield* effect.pipe(Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(tooLong) }), Effect.result)
})

/** Stores the progress marks that must precede a step, and presses the known elements that dismiss pop-ups. */
const start = Effect.fnUntraced(function* <E>({ execution, observer, page }: Walk<E>, state: State, node: Node) {
  const { settings } = execution.recovery ?? withoutRecovery
  const { aliases, login } = Login.begin(state.login, node)
  yield* announceLogins(observer, aliases, "begins")
  const firstAct = !state.acted && acts(node)
  // A step that waits for an approval has its mark once it is approved: a run that dies while it waits has done nothing.
  if (Approval.of(node) === null) {
    if (firstAct) yield* observer.before("acting", node)
    if (commits(execution, node)) yield* observer.before("committing", node)
  }
  const dismissed = yield* OverlayDismissal.clear(node, page, settings.popupXpaths)
  if (dismissed.length > 0) {
    yield* observer.analysed?.(OverlayDismissal.cleared(node, dismissed, yield* page.navigation.address)) ?? Effect.void
  }
  return { ...state, login, acted: state.acted || firstAct, signsIn: state.signsIn || aliases.length > 0 }
})

/** Whether a run that passed this node is never retried automatically. */
const commits = ({ recovery }: Execution, node: Node): boolean =>
  Recovery.isNotRepeatable(node) || ((recovery ?? withoutRecovery).settings.markerCommits && endsDryRun(node))

/** Performs a node that is not skipped, recovers it when it fails, and passes on its output. */
const carryOut = Effect.fnUntraced(function* <E>(
  walk: Walk<E>,
  state: State,
  node: CompletedStep["node"],
  skips: Result.Result<boolean, StepFailed>
) {
  const { execution, observer, page } = walk
  const { memories, settings } = execution.recovery ?? withoutRecovery
  const { position, trail } = state
  const brought = nothingYet()
  const noted: TouchedElement = { selector: null, appearance: null }
  const describes =
    settings.selectors && isStale(yield* memories.known(node), yield* Clock.currentTimeMillis) && acts(node)
  const approvals = Approving.none()
  const again: Recovery.Again<Done | Position.LoopTurn, E> = Effect.fnUntraced(function* (memory, on, option) {
    // A condition that held is not evaluated a second time, even if the step changed its result before it failed.
    const skipsNow = Result.isSuccess(skips) ? skips : yield* decide(walk, node, memory)
    if (Result.isFailure(skipsNow)) return Result.fail(skipsNow.failure)
    if (skipsNow.success) return Result.succeed<Done>({ _tag: "Skipped" })
    const step = { node, position: { ...position, memory } }
    const done = (page: BrowserSession) => attempt(walk, step, noting(page, noted, describes), brought, option)
    return yield* Approval.of(node) === null ? done(on) : approved(walk, step, on, option, approvals, done)
  })
  if (acts(node)) yield* noteRegion(walk, node, position.memory)
  const first = Result.isSuccess(skips) ? yield* again(position.memory, page, null) : Result.fail(skips.failure)
  const signsIn = Login.inProgress(state.login) !== null
  const signedIn = state.signsIn && !signsIn
  const done: Recovery.RecoveryResult<Done | Position.LoopTurn> = Result.isSuccess(first)
    ? { _tag: "Done", done: first.success, memory: position.memory }
    : yield* Recovery.recover(
        { node, failure: first.failure, memory: position.memory, page, trail, signedIn, signsIn },
        meansOf(walk),
        listenerOf(observer),
        again,
        () => brought.expected
      )
  yield* Effect.forEach(brought.misled, (form) => observer.misled?.(form) ?? Effect.void, { discard: true })
  yield* Effect.forEach(brought.pictures, observer.picture, { discard: true })
  const unkept = yield* handOver(brought.files, observer)
  const recovered = unkept === null || passesOver(node) ? done : Recovery.without(done, unkept)
  if (recovered._tag === "Failed") {
    const { classification, failure } = recovered
    const failedLogin = failure.account ?? (Login.isByThePage(failure.code) ? Login.inProgress(state.login) : null)
    return { _tag: "Failed", node, failure, classification, failedLogin } satisfies StepResult
  }
  walk.warnings.push(...brought.warnings)
  walk.warnings.splice(0, walk.warnings.length - mostWarnings)
  yield* Effect.forEach(brought.warnings, (warning) => observer.warned?.(warning) ?? Effect.void, { discard: true })
  const offer = brought.proposed === null ? null : offerOf(node, brought.proposed, execution, recovered.memory)
  if (offer !== null) yield* observer.offered?.(offer) ?? Effect.void
  if (recovered.done._tag === "Skipped") yield* observer.skipped?.(node, loopsAround(walk, state)) ?? Effect.void
  else if (commits(execution, node) || Approval.of(node) !== null) yield* observer.committed?.(node) ?? Effect.void
  const { appearance, selector } = noted
  const written = selectorOf(node)
  // Do not store the fingerprint of an element that recovery found: its selector does not match it.
  if (selector !== null && appearance !== null && written !== null && first._tag === "Success") {
    const kept = scrubbed(appearance, execution.secrets, position.memory.inputs)
    memories.learn(node, written, kept, yield* Clock.currentTimeMillis)
  }
  const passed = selector === null ? trail : [...trail.slice(1 - longestTrail), { node, position, selector }]
  const after = { ...state, trail: passed, position: { ...position, memory: recovered.memory } }
  return yield* moved(walk, after, node, recovered.done)
})

/**
 * Does a step once a person has approved exactly what it is about to do, and asks again as long as that changes meanwhile. An
 * approval counts for one act: one that failed before it had any effect may be tried again by it.
 */
const approved = Effect.fnUntraced(function* <E>(
  walk: Walk<E>,
  step: Step,
  on: BrowserSession,
  option: string | null,
  approvals: Approving.Approvals,
  attempted: (page: BrowserSession) => ReturnType<typeof attempt>
): Effect.fn.Return<Effect.Success<ReturnType<typeof attempt>>, E> {
  const { execution, observer } = walk
  const { node, position } = step
  const approval = Approval.of(node)
  if (approval === null || node.action === "LOOP") return yield* attempted(on)
  const context = contextOf(walk, node, position.memory, on, nothingYet(), option)
  while (true) {
    const looked = yield* withinTime(
      walk,
      Approving.intended(node, approval, context, (context) => alone(node, context))
    )
    if (Result.isFailure(looked)) return Result.fail(looked.failure)
    const wanted = looked.success
    if (approvals.approved?.exact !== wanted.exact) {
      const asked = yield* withinTime(walk, Approving.ask(node, approval, wanted, approvals, on, observer.person))
      if (Result.isFailure(asked)) return Result.fail(asked.failure)
      continue
    }
    yield* observer.before("committing", node)
    const done = yield* attempted(Rehearsal.bound(on, wanted.call, wanted.facts))
    if (Result.isSuccess(done) || !Approving.isChanged(done.failure)) return done
    approvals.approved = null
    yield* Effect.logDebug(execution.secrets.hide(`Node "${node.name}" asks again: ${done.failure.sentence}`))
  }
})

const listenerOf = <E>(observer: Observer<E>): Recovery.RecoveryListener<E> => ({
  analysed: (analysis) => observer.analysed?.(analysis) ?? Effect.void,
  offered: (offer) => observer.offered?.(offer) ?? Effect.void
})

/** How many nodes after an action are searched for one that waits for a change. */
const mostAhead = 10

/** Stores the content of the region that a later node waits for, if no other action comes before that node. */
const noteRegion = Effect.fnUntraced(function* <E>(
  { execution, page, regions }: Walk<E>,
  node: Node,
  memory: Memory.Memory
) {
  let behind = following(execution.graph, node)
  for (let ahead = 0; ahead < mostAhead && behind !== null && !acts(behind); ahead++) {
    if (behind.action === "EXTRACT_DATAMODEL" && behind.parameters.wait_for_change === true) {
      const { id, parameters } = behind
      regions.delete(id)
      yield* Memory.evaluateText(parameters.selector ?? "", memory, page).pipe(
        Effect.flatMap((selector) => page.elements.read({ selector, waitMillis: 0 })),
        Effect.tap((text) => Effect.sync(() => regions.set(id, text ?? ""))),
        // A selector that cannot be evaluated or read yet has nothing to compare with.
        Effect.ignore
      )
      return
    }
    behind = following(execution.graph, behind)
  }
})

/** The state after a node. */
const moved = Effect.fnUntraced(function* <E>(
  { execution, observer }: Walk<E>,
  state: State,
  node: Node,
  done: Done | Position.LoopTurn
) {
  const position = Position.after(execution.graph, state.position, done)
  const { aliases, login } = Login.after(state.login, node, position.at)
  yield* announceLogins(observer, aliases, "over")
  return { _tag: "Moved", node, done, state: { ...state, position, login } } satisfies StepResult
})

const announceLogins = <E>(observer: Observer<E>, aliases: ReadonlyArray<string>, phase: "begins" | "over") =>
  Effect.forEach(aliases, (alias) => observer.login?.(alias, phase) ?? Effect.void, { discard: true })

/** Tries a step once, within the limit of time. */
const attempt = <E>(walk: Walk<E>, step: Step, on: BrowserSession, brought: StepOutput, option: string | null) => {
  const { node, position } = step
  // Those of an attempt that fails are not those of the step.
  brought.warnings.length = 0
  brought.expected = null
  brought.proposed = null
  const context = contextOf(walk, node, position.memory, on, brought, option)
  const expected = expecting(walk, step, on, brought)
  const propose = proposing(brought)
  const pagers = Effect.fnUntraced(function* (done: Done | Position.LoopTurn, warn: StepContext["warn"]) {
    if (done._tag !== "Decided") return
    const doubt = yield* Pagers.doubtOf(walk.pagers, walk.execution.graph, node, done.holds, on)
    if (doubt?.isSure === true) yield* warn(doubt.warning)
    else if (doubt !== null) brought.warnings.push(warningOf(node, doubt.warning, walk.execution.secrets))
  })
  const doubted = ({ sentence }: Warning) =>
    Effect.fail(new StepFailed({ code: "STRICT-E0001", sentence, original: null }))
  // What a person has approved is done as it was shown.
  const forms = Approval.of(node) === null ? (walk.execution.plainForms ?? []) : []
  const plain = PlainStep.carryOut({
    node,
    forms: forms.filter((form) => !brought.misled.includes(form)),
    memory: position.memory,
    page: on,
    perform: (one, strict) =>
      perform(one, position, strict ? { ...context, warn: doubted } : context).pipe(
        Effect.tap((done) => pagers(done, context.warn)),
        Effect.tap(expected)
      ),
    saved: Effect.flatMap(ModelUse.current, ({ saved }) => Ref.update(saved, (count) => count + 1)),
    misled: (form) => void brought.misled.push(form),
    propose
  })
  return withinTime(walk, plain)
}

const proposing = (brought: StepOutput) => (form: ProposedForm) => {
  brought.proposed = form
}

/** The context of one attempt of a node. */
const contextOf = <E>(
  walk: Walk<E>,
  node: CompletedStep["node"],
  memory: Memory.Memory,
  page: BrowserSession,
  brought: StepOutput,
  option: string | null
): StepContext => {
  const { execution, heard, observer, opened } = walk
  const { secrets } = execution
  return {
    page,
    compiling: Compiling.make(page, memory, execution.plainForms !== undefined, proposing(brought)),
    memory,
    shoot: (shot, { fullPage, metadata }) =>
      Effect.map(
        secrets.hideIn(metadata),
        (metadata) => void brought.pictures.push({ ...shot, fullPage, metadata, node, error: false })
      ),
    keep: (file, metadata) =>
      Effect.map(
        secrets.hideIn(metadata),
        (metadata) => void brought.files.push({ ...file, fileName: secrets.hideInName(file.fileName), metadata, node })
      ),
    warn: (warning) => {
      const told = warningOf(node, warning, secrets)
      if (execution.strict === true) {
        const failure = `${told.message}. The workflow is strict, so this is a failure (${told.code})`
        return Effect.fail(new StepFailed({ code: "STRICT-E0001", sentence: failure, original: null, acted: true }))
      }
      return Effect.sync(() => void brought.warnings.push(told))
    },
    ask: (question) => observer.person.ask({ ...question, node }),
    option,
    regionBefore: walk.regions.get(node.id) ?? null,
    heard,
    manualCaptcha: execution.manualCaptcha === true,
    codes: execution.codes,
    allowedSites: execution.session.allowedSites,
    began: opened
  }
}

/** A warning of a node, as it may leave the run. */
const warningOf = ({ action, id, name }: Node, { code, sentence, value }: Warning, secrets: Secrets): RunWarning => ({
  code,
  message: secrets.hide(sentence),
  node: { id, name, action },
  value: value === null ? null : secrets.hideWithin(value, longestValue)
})

/** Fails where what a node expects is not true after it. That of a loop is asked for once the loop has ended. */
const expecting = <E>(walk: Walk<E>, step: Step, page: BrowserSession, brought: StepOutput) => {
  const { execution, heard } = walk
  const { node, position } = step
  const expect = Expect.of(node)
  const since = heard?.mark() ?? null
  const before = brought.files.length
  return (done: Done | Position.LoopTurn): Effect.Effect<void, StepFailed> => {
    if (expect === null || (done._tag === "Turned" && done.loop !== null)) return Effect.void
    const { memory } = Position.after(execution.graph, position, done)
    const files = brought.files.slice(before)
    const holds = ExpectationWait.until(expect, { memory, page, heard, since, files, acted: isDoneOnce(node) })
    if (isDoneOnce(node) || opens(node) || Recovery.isNotRepeatable(node))
      brought.expected = withinTime(walk, Effect.as(holds, done))
    return holds
  }
}

/** The number of warnings that the end of a walk can name. */
const mostWarnings = 100

/** Maximum length of the text of a page in a warning, in characters. */
const longestValue = 200

/** The context of recoveries. */
const meansOf = <E>(walk: Walk<E>): RecoveryContext => {
  const { choices, execution, observer } = walk
  const { memories, settings } = execution.recovery ?? withoutRecovery
  return {
    graph: execution.graph,
    settings,
    secrets: execution.secrets,
    person: observer.person,
    correctable: execution.correctable,
    choices,
    remembered: (node) => Effect.map(memories.known(node), (known) => known?.appearance ?? null),
    redo: (step, memory, on) =>
      attempt(walk, { node: step.node, position: { ...step.position, memory } }, on, nothingYet(), null)
  }
}

const withoutRecovery = { settings: none, memories: nothing }

/** The output of a step, which is passed on when the step has ended. */
interface StepOutput {
  readonly pictures: Array<Picture>
  readonly files: Array<DownloadedFile & Pick<Download, "discard">>
  readonly warnings: Array<RunWarning>
  /** The plain form of what a model did in the step. */
  proposed: ProposedForm | null
  /** The plain forms that did not do the step. */
  readonly misled: Array<PlainForm.PlainForm>
  /** Looks again for what the step expects, where it has done its work once and for all. */
  expected: ReturnType<Recovery.Expected<Done | Position.LoopTurn>>
}

const nothingYet = (): StepOutput => ({
  pictures: [],
  files: [],
  warnings: [],
  proposed: null,
  misled: [],
  expected: null
})

/** The offer of the plain form of a step; `null` where a secret or an input of the run is in it. */
const offerOf = (node: Node, proposed: ProposedForm, { secrets }: Execution, { inputs }: Memory.Memory) => {
  const { decides, parameters, site } = proposed
  if (decides === false && PlainStep.hasEffects(node)) return null
  const after = PlainForm.textOf(parameters)
  if (!cleanOf(secrets, inputs)(after)) return null
  const form = { nodeId: node.id, before: PlainForm.textOf(node.parameters), after, site, decides }
  const what = decides === null ? "did the step" : decides ? "said yes" : "said no"
  return Patch.offerOf(form, node.name, `A model ${what}; on the same page, this has the same result without one`)
}

interface Step {
  readonly node: CompletedStep["node"]
  readonly position: Position.Position
}

/** Maximum number of remembered steps that acted on elements, for a form that must be filled in again. */
const longestTrail = 20

/** Actions that only open and read pages: a second attempt repeats nothing on the site. */
export const acts = (node: Node): boolean =>
  node.action === "CLICK" ||
  node.action === "DRAG" ||
  node.action === "INPUT_TEXT" ||
  node.action === "INPUT_SELECT" ||
  node.action === "TFA" ||
  node.action === "FILE_UPLOAD" ||
  node.action === "API_FLOW"

/** Actions that a failed expectation does not repeat: they act, ask a person, or take files that come only once. */
const isDoneOnce = (node: Node): boolean =>
  acts(node) || node.action === "CAPTCHA" || node.action === "USER_INTERACTION" || node.action === "FILE_DOWNLOAD"

/** Actions that open an address: opened again, the page would bring its pop-up again. */
const opens = (node: Node): boolean => node.action === "START" || node.action === "NAVIGATE"

/** Passes on the files of a step, and returns why one of them is not kept. */
const handOver = Effect.fnUntraced(function* <E>(files: StepOutput["files"], observer: Observer<E>) {
  let unkept: string | null = null
  for (const file of files) {
    unkept ??= yield* observer.file?.(file) ?? Effect.succeed(null)
    yield* file.discard
  }
  return unkept
})

const passesOver = ({ parameters }: Node): boolean =>
  "continue_on_failed_download" in parameters && parameters.continue_on_failed_download === true

export const endsDryRun = (node: Node): boolean =>
  "end_here_on_dry_run" in node.parameters && node.parameters.end_here_on_dry_run === true

const following = (graph: Graph, node: Node): Node | null => {
  const edge = graph.edges.get(node.id)
  return edge?._tag === "Next" ? Position.nodeOf(graph, edge.to) : null
}
