/**
 * Walks the graph of a workflow in a browser, from START to END, and answers what came of it.
 */
import { Clock, Effect } from "effect"
import type { Graph, Node } from "../workflow/Graph.ts"
import { Browser, type Page } from "./Browser.ts"
import { redactUrl } from "./Exchange.ts"
import type { Execution } from "./Execution.ts"
import { ofPage } from "./Failure.ts"
import * as Heard from "./Heard.ts"
import { defaultLimits, exceeded, type Limits, tooLong } from "./Limits.ts"
import * as Login from "./Login.ts"
import * as Memory from "./Memory.ts"
import type { Observer, Picture } from "./Observer.ts"
import { failed, finish, type Outcome } from "./Outcome.ts"
import { perform } from "./Perform.ts"
import * as Position from "./Position.ts"
import * as Recovery from "./Recovery.ts"
import type { Surroundings } from "./Step.ts"

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
  const heard = yield* Heard.listen(graph, page)
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
        heard,
        manualCaptcha: execution.manualCaptcha === true,
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
    if (done.success._tag === "Skipped") yield* observer.skipped?.(node) ?? Effect.void
    position = Position.after(graph, { ...position, memory }, done.success)
    yield* moved(Login.after(login, node, position.at), "over")
  }
})

/** Opening and reading pages does nothing on the site that a second attempt would do again. */
const acts = (node: Node): boolean =>
  node.action === "CLICK" ||
  node.action === "INPUT_TEXT" ||
  node.action === "INPUT_SELECT" ||
  node.action === "TFA" ||
  node.action === "API_FLOW"

const isNotRepeatable = (node: Node): boolean =>
  "not_repeatable" in node.parameters && node.parameters.not_repeatable === true

const endsDryRun = (node: Node): boolean =>
  "end_here_on_dry_run" in node.parameters && node.parameters.end_here_on_dry_run === true

const following = (graph: Graph, node: Node): Node | null => {
  const edge = graph.edges.get(node.id)
  return edge?._tag === "Next" ? Position.nodeOf(graph, edge.to) : null
}
