/**
 * Sends the request of a step, again where that may help, and reads its answer.
 */
import { Clock, Effect, Result } from "effect"
import { redactUrl } from "../../browser/Exchange.ts"
import type { ApiRequest, RequestFailed, Requests } from "../../browser/Requests.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Step } from "../../workflow/language/parameters/ApiFlowParameters.ts"
import type { Code } from "../Failure.ts"
import { refuse } from "./Refusal.ts"
import * as StepAnswer from "./StepAnswer.ts"

/** The remaining allowance of a flow: bytes of answers, and the instant at which it ends. */
export interface Allowance {
  bytes: number
  readonly until: number
  /** Whether it sent what may have changed something. */
  acted: boolean
}

/** How much one flow may be answered, and how long it may take in milliseconds. */
const flowBytes = 50_000_000
const flowMillis = 600_000

/** The allowance of a flow that begins now. */
export const allowance: Effect.Effect<Allowance> = Effect.map(
  Clock.currentTimeMillis,
  (now): Allowance => ({ bytes: flowBytes, until: now + flowMillis, acted: false })
)

const firstDelayMillis = 500

const changesNothing: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

const codes: Readonly<Record<RequestFailed["kind"], Code>> = {
  forbidden: "API-E0003",
  foreign: "CREDENTIAL-E0002",
  proxy: "PROXY-E0001",
  unreachable: "API-E0001",
  too_large: "API-E0002",
  redirects: "API-E0002"
}

export const send = Effect.fnUntraced(function* (
  step: Step,
  asked: ApiRequest,
  requests: Requests,
  allowance: Allowance,
  secrets: Secrets
) {
  const { retry } = step
  const times = typeof retry === "object" ? (retry?.max_attempts ?? 0) : (retry ?? 0)
  const delay = typeof retry === "object" ? (retry?.delay_ms ?? null) : null
  const address = redactUrl(secrets.hide(asked.url))
  for (let tries = 0; ; tries++) {
    const left = allowance.until - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* refuse(step, `the flow took longer than ${flowMillis / 1_000} s`)
    if (allowance.bytes <= 0) return yield* refuse(step, `the flow was answered more than ${flowBytes} bytes`)
    allowance.acted ||= !changesNothing.has(asked.method)
    const answered = yield* Effect.result(
      requests.request({
        ...asked,
        maxBytes: Math.min(asked.maxBytes, allowance.bytes),
        timeoutMillis: Math.min(asked.timeoutMillis, left)
      })
    )
    const isLast = tries >= times
    if (Result.isSuccess(answered)) {
      const { body, status } = answered.success
      allowance.bytes -= body.length
      if (StepAnswer.isExpected(step, status)) return yield* StepAnswer.read(step, answered.success)
      if (isLast || !StepAnswer.isPassing(status)) {
        const code = StepAnswer.isPassing(status) ? "API-E0001" : "API-E0002"
        return yield* refuse(step, `${asked.method} ${address} was answered with status ${status}`, code)
      }
    } else {
      const { kind, reason } = answered.failure
      if (isLast || kind !== "unreachable") {
        return yield* refuse(step, `${asked.method} ${address}: ${secrets.hide(reason)}`, codes[kind])
      }
    }
    yield* Effect.sleep(delay ?? firstDelayMillis * 2 ** tries)
  }
})
