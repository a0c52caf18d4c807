/** The answer to a request over a limit: 429, with the name of the limit and the time after which to ask again. */
import { HttpServerResponse } from "effect/http"
import * as Errors from "./Errors.ts"

/** Whole seconds, at least one. */
export const seconds = (millis: number): number => Math.max(1, Math.ceil(millis / 1_000))

export const answer = (reached: {
  readonly message: string
  readonly limit: number
  /** The setting of the limit. */
  readonly setting: string
  readonly retryAfterMillis: number
}): HttpServerResponse.HttpServerResponse => {
  const { limit, message, setting } = reached
  const retryAfterSeconds = seconds(reached.retryAfterMillis)
  return HttpServerResponse.jsonUnsafe(
    { ...Errors.general(429, message), limit, remaining: 0, retryAfterSeconds, setting },
    { status: 429, headers: { "retry-after": String(retryAfterSeconds) } }
  )
}
