/**
 * What is outside of the service in a simulation: the pages that attempts work on, and a receiver of webhooks.
 */
import { Clock, Effect, Random, Redacted } from "effect"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import type { Outcome as Answered } from "../../../core/event/webhook/Delivery.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { Executor } from "../../../core/run/Executor.ts"
import * as Run from "../../../core/run/Run.ts"
import type { Outcome } from "../../../core/run/Transition.ts"
import type { Machine } from "./Machine.ts"
import type { History } from "./Promises.ts"
import type { Work } from "./Scenario.ts"

/** The input of a run of a simulation. */
export interface Input extends Work {
  readonly key: string
}

/** The input of a run, which the simulation has submitted itself. */
export const inputOf = (run: Run.Run): Input => run.input as unknown as Input

/** What the outside has seen, and its state. */
export interface Outside {
  readonly commits: Array<History["commits"][number]>
  /** The deliveries that the receiver accepted, by their ids. */
  readonly accepted: Set<string>
  /** The receiver answers 503. */
  isDown: boolean
}

export const make = (): Outside => ({ commits: [], accepted: new Set(), isDown: false })

const node = { id: "pay", name: "Pay" }

/** Carries out attempts as their inputs say, and leaves the marks that an agent leaves. */
export const executorOf = (machine: Machine, outside: Outside): Executor["Service"] =>
  Executor.of({
    execute: Effect.fnUntraced(function* ({ run }, reporter) {
      const { acts, commits, ends, millis } = inputOf(run)
      const ids = { runId: run.id, workflowId: run.workflowId }
      const step: RunEvent = { event: "execution.step", ...ids, step: "Pay", next: null }
      const mark = (kind: "acting" | "committing" | "committed") =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          reporter.mark({ acted: true, ...(kind === "acting" ? {} : { committed: true }), mark: { kind, node, at } })
        )
      yield* machine.act(Effect.sleep(millis / 2))
      yield* reporter.event(step)
      if (acts) yield* Effect.andThen(mark("acting"), machine.act(Effect.void))
      if (commits) {
        yield* mark("committing")
        yield* machine.act(
          Effect.map(Clock.currentTimeMillis, (at) => {
            outside.commits.push({ runId: run.id, at: at - machine.skew })
          })
        )
        yield* mark("committed")
      }
      yield* machine.act(Effect.sleep(millis / 2))
      return outcomeOf(run, ends, yield* Clock.currentTimeMillis)
    })
  })

const outcomeOf = (run: Run.Run, ends: Work["ends"], at: number): Outcome => {
  const failed: Outcome = { _tag: "Failed", data: {}, errors: [Run.failure(run, "BROWSER-E0001", "Simulated", at)] }
  if (ends === "failed") return failed
  if (ends === "retry" && run.attempts < 3) return { ...failed, retry: { times: null, delayMillis: null } }
  if (ends === "lostBrowser" && run.attempts === 1) return { ...failed, lostBrowser: true }
  return { _tag: "Success", data: {} }
}

const answered = (status: number): Answered => ({
  _tag: "Answered",
  status,
  durationMillis: 20,
  retryAfterMillis: null
})

/** The receiver: it fails at times, and sometimes accepts what it then answers too late for. */
export const senderOf = (machine: Machine, outside: Outside): Sender["Service"] =>
  Sender.of({
    refusal: () => null,
    post: ({ headers }) =>
      machine.act(
        Effect.gen(function* () {
          const chance = yield* Random.nextIntBetween(0, 20)
          if (chance === 0) yield* machine.act(Effect.sleep("3 seconds"))
          if (outside.isDown) return answered(503)
          if (chance === 1) return answered(500)
          outside.accepted.add(headers["X-Sluice-Delivery"] ?? "")
          if (chance === 2) return { _tag: "Unreachable", reason: "reset", durationMillis: 20 } satisfies Answered
          return answered(204)
        })
      )
  })

/** Signs nothing. */
export const secrets = WebhookSecrets.of({
  make: Effect.succeed(Redacted.make("secret")),
  seal: (secret) => Effect.succeed(Redacted.value(secret)),
  sign: () => Effect.succeed("0")
})
