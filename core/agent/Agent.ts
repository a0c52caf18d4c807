/**
 * Walks the graph of a workflow in a browser, from START to END, and answers what came of it.
 */
import { Clock, Effect, Result } from "effect"
import type { Graph, Node } from "../workflow/Graph.ts"
import type { Execution } from "./Execution.ts"
import { ofPage } from "./Failure.ts"
import * as Heard from "./Heard.ts"
import { defaultLimits, exceeded, type Limits, tooLong } from "./Limits.ts"
import * as Login from "./Login.ts"
import * as Memory from "./Memory.ts"
import type { DownloadedFile, Observer, Picture } from "./Observer.ts"
import { failed, finish, type Outcome } from "./Outcome.ts"
import { perform } from "./Perform.ts"
import * as Position from "./Position.ts"
import { Browser, type Page } from "./page/Browser.ts"
import { redactUrl } from "./page/Exchange.ts"
import type { Download } from "./page/Transfers.ts"
import * as Recovery from "./Recovery.ts"
import { scrubbed } from "./recovery/Appearance.ts"
import { isStale, nothing, selectorOf } from "./recovery/ElementMemory.ts"
import { type Noted, noting } from "./recovery/Noting.ts"
import * as Popup from "./recovery/Popup.ts"
import type { Trodden } from "./recovery/Remedy.ts"
import { none } from "./recovery/Settings.ts"
import { isSkipped } from "./Skipping.ts"
import type { Done, Surroundings } from "./Step.ts"

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
  const { accounts, graph, secrets } = execution
  const { memories, settings } = execution.recovery ?? withoutRecovery
  const began = yield* Clock.currentTimeMillis
  const heard = yield* Heard.listen(graph, page)
  const unbegun = Login.before(graph, accounts.keys())
  let position = Position.before(graph, Memory.initial(execution.inputs, { accounts, secrets }))
  let trail: ReadonlyArray<Trodden> = []
  let acted = false
  let { login } = unbegun
  let signsIn = false
  const moved = ({ aliases, login: next }: Login.Moved, phase: "begins" | "over") => {
    login = next
    if (phase === "begins" && aliases.length > 0) signsIn = true
    return Effect.forEach(aliases, (alias) => observer.login?.(alias, phase) ?? Effect.void, { discard: true })
  }
  yield* moved(unbegun, "over")
  const address = Effect.map(page.address, (one) => redactUrl(secrets.hide(one)))
  /** Hands over a picture of the page on which a node failed. */
  const showFailed = Effect.fnUntraced(function* (node: Node) {
    const shot = yield* Effect.result(page.glimpse)
    if (shot._tag === "Failure") return
    yield* observer.picture({ ...shot.success, node, error: true, fullPage: false, metadata: {} })
  })

  const attempt = Effect.fnUntraced(function* (step: Step, on: Page, brought: Brought, option: string | null) {
    const { node } = step
    const surroundings: Surroundings = {
      page: on,
      memory: step.position.memory,
      shoot: (shot, { fullPage, metadata }) =>
        Effect.sync(
          () =>
            void brought.pictures.push({ ...shot, fullPage, metadata: secrets.hideIn(metadata), node, error: false })
        ),
      keep: (file, metadata) =>
        Effect.sync(
          () =>
            void brought.files.push({
              ...file,
              fileName: secrets.hideInName(file.fileName),
              metadata: secrets.hideIn(metadata),
              node
            })
        ),
      ask: (question) => observer.person.ask({ ...question, node }),
      option,
      heard,
      manualCaptcha: execution.manualCaptcha === true,
      codes: execution.codes,
      allowedSites: execution.session.allowedSites,
      began
    }
    const left = Math.max(began + limits.millis - (yield* Clock.currentTimeMillis), 0)
    return yield* perform(node, step.position, surroundings).pipe(
      Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(tooLong(limits)) }),
      Effect.result
    )
  })
  const decided = Effect.fnUntraced(function* (node: Node, memory: Memory.Memory) {
    const left = Math.max(began + limits.millis - (yield* Clock.currentTimeMillis), 0)
    return yield* isSkipped(node, { memory, page }).pipe(
      Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(tooLong(limits)) }),
      Effect.result
    )
  })
  const told: Recovery.Told<E> = {
    analysed: (analysis) => observer.analysed?.(analysis) ?? Effect.void,
    offered: (offer) => observer.offered?.(offer) ?? Effect.void
  }
  const means = {
    graph,
    settings,
    secrets,
    person: observer.person,
    correctable: execution.correctable,
    choices: new Map<string, string>(),
    remembered: (node: Node) => Effect.map(memories.known(node), (known) => known?.appearance ?? null),
    redo: (step: Trodden, memory: Memory.Memory, on: Page) =>
      attempt({ node: step.node, position: { ...step.position, memory } }, on, { pictures: [], files: [] }, null)
  }

  for (let steps = 1; ; steps++) {
    const node = Position.nodeOf(graph, position.at)
    // Before the first page there is nothing that a person could do.
    if (node.action !== "START") yield* observer.hold ?? Effect.void
    if (node.action === "END" || (execution.dryRun !== null && endsDryRun(node))) {
      const outcome = yield* finish(execution, position.memory, node, yield* address)
      yield* outcome._tag === "Success" ? (observer.seen?.(page, node, "begins") ?? Effect.void) : showFailed(node)
      return outcome
    }
    const outOfBounds = exceeded(limits, steps, (yield* Clock.currentTimeMillis) - began)
    // What is not done is told of as that, and leaves no mark. A condition that fails to be decided fails with its step.
    const verdict = outOfBounds === null ? yield* decided(node, position.memory) : Result.fail(outOfBounds)
    if (Result.isSuccess(verdict) && verdict.success) {
      yield* observer.skipped?.(node) ?? Effect.void
      position = Position.after(graph, position, { _tag: "Skipped" })
      yield* moved(Login.after(login, node, position.at), "over")
      continue
    }
    yield* observer.step(node, following(graph, node))
    yield* observer.seen?.(page, node, "begins") ?? Effect.void
    if (outOfBounds === null) {
      yield* moved(Login.begin(login, node), "begins")
      if (!acted && acts(node)) {
        yield* observer.before("acting")
        acted = true
      }
      if (Recovery.isNotRepeatable(node) || (settings.markerCommits && endsDryRun(node))) {
        yield* observer.before("committing")
      }
      const dismissed = yield* Popup.clear(node, page, settings.popupXpaths)
      if (dismissed.length > 0) yield* told.analysed(Popup.cleared(node, dismissed, yield* page.address))
    }

    const brought: Brought = { pictures: [], files: [] }
    const noted: Noted = { selector: null, appearance: null }
    const describes =
      settings.selectors && isStale(yield* memories.known(node), yield* Clock.currentTimeMillis) && acts(node)
    const again: Recovery.Again<Done | Position.Turned> = Effect.fnUntraced(function* (memory, on, option) {
      // A condition that held is not asked again, whatever the step brought about before it failed.
      const skips = Result.isSuccess(verdict) ? verdict : yield* decided(node, memory)
      if (Result.isFailure(skips)) return Result.fail(skips.failure)
      if (skips.success) return Result.succeed<Done>({ _tag: "Skipped" })
      return yield* attempt({ node, position: { ...position, memory } }, noting(on, noted, describes), brought, option)
    })
    const first = Result.isSuccess(verdict) ? yield* again(position.memory, page, null) : verdict
    const signedIn = signsIn && Login.underWay(login) === null
    const done: Recovery.Recovered<Done | Position.Turned> =
      first._tag === "Success"
        ? { _tag: "Done", done: first.success, memory: position.memory }
        : yield* Recovery.recover(
            { node, failure: first.failure, memory: position.memory, page, trail, signedIn },
            means,
            told,
            again
          )
    yield* Effect.forEach(brought.pictures, observer.picture, { discard: true })
    const unkept = yield* handOver(brought.files, observer)
    const recovered = unkept === null || passesOver(node) ? done : Recovery.without(done, unkept)
    if (recovered._tag === "Failed") {
      const { classification, failure } = recovered
      yield* showFailed(node)
      yield* observer.seen?.(page, node, "failed") ?? Effect.void
      const failedLogin = Login.isByThePage(failure.code) ? Login.underWay(login) : null
      const judged = { classification, suggests: settings.errorCodes }
      const data = secrets.hideInData(position.memory.data)
      return failed(data, failure, node, yield* address, secrets, failedLogin, judged)
    }
    if (recovered.done._tag === "Skipped") yield* observer.skipped?.(node) ?? Effect.void
    const { selector } = noted
    if (selector !== null) {
      trail = [...trail.slice(1 - longestTrail), { node, position, selector }]
      const written = selectorOf(node)
      const { appearance } = noted
      // Found again by its looks, it would be remembered under a selector that does not lead to it.
      if (appearance !== null && written !== null && first._tag === "Success") {
        const kept = scrubbed(appearance, secrets, position.memory.inputs)
        memories.learn(node, written, kept, yield* Clock.currentTimeMillis)
      }
    }
    position = Position.after(graph, { ...position, memory: recovered.memory }, recovered.done)
    yield* moved(Login.after(login, node, position.at), "over")
  }
})

const withoutRecovery = { settings: none, memories: nothing }

/** What a step brings that is told of when it is over. */
interface Brought {
  readonly pictures: Array<Picture>
  readonly files: Array<DownloadedFile & Pick<Download, "discard">>
}

interface Step {
  readonly node: Trodden["node"]
  readonly position: Position.Position
}

/** So many steps that acted on elements are known, for a form that is to be filled in again. */
const longestTrail = 20

/** Opening and reading pages does nothing on the site that a second attempt would do again. */
const acts = (node: Node): boolean =>
  node.action === "CLICK" ||
  node.action === "INPUT_TEXT" ||
  node.action === "INPUT_SELECT" ||
  node.action === "TFA" ||
  node.action === "FILE_UPLOAD" ||
  node.action === "API_FLOW"

/** Hands over the files that a step brought, and answers why one of them is not kept. */
const handOver = Effect.fnUntraced(function* <E>(files: Brought["files"], observer: Observer<E>) {
  let unkept: string | null = null
  for (const file of files) {
    unkept ??= yield* observer.file?.(file) ?? Effect.succeed(null)
    yield* file.discard
  }
  return unkept
})

const passesOver = ({ parameters }: Node): boolean =>
  "continue_on_failed_download" in parameters && parameters.continue_on_failed_download === true

const endsDryRun = (node: Node): boolean =>
  "end_here_on_dry_run" in node.parameters && node.parameters.end_here_on_dry_run === true

const following = (graph: Graph, node: Node): Node | null => {
  const edge = graph.edges.get(node.id)
  return edge?._tag === "Next" ? Position.nodeOf(graph, edge.to) : null
}
