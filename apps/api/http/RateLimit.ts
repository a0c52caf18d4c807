/**
 * Rate limits by API key or another secret, or by the address of the client without one; and by workspace, for all its
 * keys and sessions together.
 *
 * Every process counts separately. A stream counts once, when it is requested.
 */
import { Clock, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as RateLimit from "../../../core/workspace/request/RateLimit.ts"
import { WorkspaceShares } from "../../../core/workspace/request/WorkspaceShares.ts"
import * as TooMany from "./TooMany.ts"

/** Who is counted. */
export interface Counted {
  /** The name of its key, of another secret, or of its address. */
  readonly name: string
  /** The workspace of its key or session; `null` where it has neither. */
  readonly workspaceId: string | null
}

/** Counts a request. Returns its answer if it is over a limit; else its answer tells the nearest limit of its name. */
export type Limiter = (
  counted: Counted
) => Effect.Effect<HttpServerResponse.HttpServerResponse | null, never, HttpServerRequest.HttpServerRequest>

/** Maximum number of callers in the log; beyond it, the least recently active ones are removed. */
const maxCallers = 50_000

const minute = 60

/** A limiter with an empty log. */
export const make = (limits: ReadonlyArray<RateLimit.Limit>): Effect.Effect<Limiter> =>
  Effect.map(WorkspaceShares, ({ requests }) => {
    const [callers, workspaces] = [RateLimit.book(maxCallers), RateLimit.book(maxCallers)]
    return Effect.fnUntraced(function* ({ name, workspaceId }: Counted) {
      const share = workspaceId === null ? null : yield* requests
      const now = yield* Clock.currentTimeMillis
      const ofWorkspace = share === null ? [] : [{ requests: share, seconds: minute }]
      if (workspaceId !== null && share !== null && workspaces.isFull(workspaceId, ofWorkspace, now)) {
        return ofShare(workspaces.take(workspaceId, ofWorkspace, now))
      }
      const decision = limits.length === 0 ? null : callers.take(name, limits, now)
      if (decision?.allowed === false) return refusal(decision)
      if (workspaceId !== null && share !== null) workspaces.take(workspaceId, ofWorkspace, now)
      if (decision === null) return null
      yield* HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(response, headers(decision)))
      )
      return null
    })
  })

/** The headers about the nearest limit, for every answer. */
const headers = (decision: RateLimit.Decision): Record<string, string> => ({
  "x-ratelimit-limit": String(decision.limit),
  "x-ratelimit-remaining": String(decision.remaining),
  "x-ratelimit-reset": String(TooMany.seconds(decision.resetMillis))
})

/** The answer to a request over the limit of its caller. The body of the request is not read. */
const refusal = (decision: RateLimit.Decision) =>
  HttpServerResponse.setHeaders(
    TooMany.answer({
      message: "Too Many Requests",
      limit: decision.limit,
      setting: "SLUICE_RATE_LIMITS",
      retryAfterMillis: decision.resetMillis
    }),
    headers(decision)
  )

/** The answer to a request over the share of its workspace. */
const ofShare = (decision: RateLimit.Decision) =>
  HttpServerResponse.setHeaders(
    TooMany.answer({
      message: `This workspace has made ${decision.limit} requests here within a minute, and may make ${decision.limit}: ask again later`,
      limit: decision.limit,
      setting: "SLUICE_WORKSPACE_REQUESTS",
      retryAfterMillis: decision.resetMillis
    }),
    headers(decision)
  )
