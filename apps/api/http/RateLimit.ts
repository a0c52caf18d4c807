/**
 * Rate limits by API key, or by remote address without a key.
 *
 * Every process counts separately. A stream counts once, when it is requested.
 */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as RateLimit from "../../../core/workspace/request/RateLimit.ts"

export interface Limiter {
  /** Decides about a request of the caller with this `name`. */
  readonly take: (name: string) => Effect.Effect<RateLimit.Decision>
}

/** Maximum number of callers in the log; beyond it, the least recently active ones are removed. */
const maxCallers = 50_000

/** A limiter with an empty log; `null` when there are no limits. */
export const make = (limits: ReadonlyArray<RateLimit.Limit>): Limiter | null => {
  if (limits.length === 0) return null
  // In the order of their last request.
  const logs = new Map<string, RateLimit.Log>()
  return {
    take: (name) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const log = logs.get(name) ?? RateLimit.empty()
        logs.delete(name)
        logs.set(name, log)
        const decision = RateLimit.take(log, limits, now)
        for (const [silent, its] of logs) {
          if (logs.size <= maxCallers && !RateLimit.isSpent(its, limits, now)) break
          if (its !== log) logs.delete(silent)
        }
        return decision
      })
  }
}

const seconds = (millis: number): number => Math.max(1, Math.ceil(millis / 1_000))

/** The headers about the nearest limit, for every answer. */
export const headers = (decision: RateLimit.Decision): Record<string, string> => ({
  "x-ratelimit-limit": String(decision.limit),
  "x-ratelimit-remaining": String(decision.remaining),
  "x-ratelimit-reset": String(seconds(decision.resetMillis))
})

/** The answer to a request over the limit. */
export const refusal = (decision: RateLimit.Decision): HttpServerResponse.HttpServerResponse => {
  const retryAfterSeconds = seconds(decision.resetMillis)
  return HttpServerResponse.jsonUnsafe(
    {
      statusCode: 429,
      error: "Too Many Requests",
      message: "Too Many Requests",
      limit: decision.limit,
      remaining: decision.remaining,
      retryAfterSeconds
    },
    // The body of the request is not read.
    { status: 429, headers: { ...headers(decision), "retry-after": String(retryAfterSeconds) } }
  )
}
