/**
 * Rate limits by API key or another secret, or by the address of the client without one.
 *
 * Every process counts separately. A stream counts once, when it is requested.
 */
import { Clock, Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
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
const headers = (decision: RateLimit.Decision): Record<string, string> => ({
  "x-ratelimit-limit": String(decision.limit),
  "x-ratelimit-remaining": String(decision.remaining),
  "x-ratelimit-reset": String(seconds(decision.resetMillis))
})

/** Counts a request of a caller. Returns its answer if it is over the limit; else its answer tells the limit. */
export const count = (limiter: Limiter, name: string) =>
  Effect.flatMap(limiter.take(name), (decision) =>
    decision.allowed
      ? Effect.as(
          HttpEffect.appendPreResponseHandler((_request, response) =>
            Effect.succeed(HttpServerResponse.setHeaders(response, headers(decision)))
          ),
          null
        )
      : Effect.succeed(refusal(decision))
  )

/** The answer to a request over the limit. */
const refusal = (decision: RateLimit.Decision): HttpServerResponse.HttpServerResponse => {
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
