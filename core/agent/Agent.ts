/**
 * Walks the graph of a workflow in a browser, from START to END, and returns the outcome.
 */
import { Clock, Effect } from "effect"
import { Browser, type BrowserSession } from "../browser/Browser.ts"
import { redactUrl } from "../browser/Exchange.ts"
import * as TracedSession from "../browser/TracedSession.ts"
import * as Gauges from "../runtime/Gauges.ts"
import * as Trace from "../runtime/Trace.ts"
import * as Approval from "../workflow/language/graph/Approval.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import type { Execution } from "./Execution.ts"
import { ofPage } from "./Failure.ts"
import { defaultLimits, type Limits, tooLong } from "./Limits.ts"
import * as SignInEnd from "./login/SignInEnd.ts"
import * as NetworkRecorder from "./network/NetworkRecorder.ts"
import type { Observer } from "./Observer.ts"
import { failed, finish, type Outcome } from "./Outcome.ts"
import * as Position from "./Position.ts"
import * as Recovery from "./recovery/Recovery.ts"
import * as Stepper from "./Stepper.ts"
import * as CoveredSession from "./vision/CoveredSession.ts"

/**
 * Executes a graph in a separate session, which is closed when execution ends or is interrupted.
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
      yield* Effect.acquireRelease(Gauges.browserSessions(1), () => Gauges.browserSessions(-1))
      const session = CoveredSession.make(opened.success, execution.secrets)
      if (observer.opened !== undefined) yield* observer.opened(session)
      const page = (yield* Trace.isRecording) ? TracedSession.make(session) : session
      const outcome = yield* walk(execution, observer, limits, page)
      yield* observer.over?.(session, outcome) ?? Effect.void
      return outcome
    })
  )

const walk = Effect.fnUntraced(function* <E>(
  execution: Execution,
  observer: Observer<E>,
  limits: Limits,
  page: BrowserSession
) {
  const { secrets } = execution
  const began = yield* Clock.currentTimeMillis
  const heard = NetworkRecorder.isReadBy(execution.graph) ? yield* NetworkRecorder.listen(page) : null
  const way: Stepper.Walk<E> = {
    execution,
    page,
    heard,
    observer,
    limits,
    began,
    tooLong: tooLong(limits),
    opened: began,
    choices: new Map(),
    regions: new Map(),
    pagers: new Map(),
    warnings: []
  }
  const address = Effect.map(page.navigation.address, (one) => redactUrl(secrets.hide(one)))
  const showFailed = Effect.fnUntraced(function* (node: Node) {
    const shot = yield* Effect.result(page.observation.glimpse())
    if (shot._tag === "Failure") return
    yield* observer.picture({ ...shot.success, node, error: true, fullPage: false, metadata: {} })
  })

  const { graph, signInOnly } = execution
  const isFinal = (node: Node) =>
    Recovery.isNotRepeatable(node) || Approval.of(node) !== null || Stepper.endsDryRun(node)
  const judge = signInOnly === undefined ? null : SignInEnd.make(signInOnly, graph, { acts: Stepper.acts, isFinal })

  let state = yield* Stepper.begin(way)
  while (true) {
    if (judge !== null) {
      const node = Position.nodeOf(graph, state.position.at)
      const { login, position } = state
      const verdict = yield* Effect.result(judge({ node, login, memory: position.memory, page }))
      if (verdict._tag === "Failure") return failed({}, verdict.failure, node, yield* address, secrets)
      if (verdict.success === "signed in") return { _tag: "Success", data: {} } satisfies Outcome
    }
    const stepped = yield* Stepper.next(way, state)
    switch (stepped._tag) {
      case "Moved":
        state = stepped.state
        break
      case "Ended": {
        const { memory, node } = stepped
        const outcome = yield* finish(execution, memory, node, yield* address, way.warnings)
        yield* outcome._tag === "Success" ? (observer.seen?.(page, node, "begins") ?? Effect.void) : showFailed(node)
        return outcome
      }
      case "Failed": {
        const { classification, failedLogin, failure, node } = stepped
        // A page that answers nothing has no picture, and would be waited for as long again.
        if (failure.code !== "LIMIT-E0006") {
          yield* showFailed(node)
          yield* observer.seen?.(page, node, "failed") ?? Effect.void
        }
        const judged = { classification, suggests: execution.recovery?.settings.errorCodes ?? false }
        const data = yield* secrets.hideInOutput(state.position.memory.data)
        return failed(data, failure, node, yield* address, secrets, failedLogin, judged)
      }
    }
  }
})
