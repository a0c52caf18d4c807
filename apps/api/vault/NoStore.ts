/** Answers about credentials are for whoever asked, and nobody on the way may keep them. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Marks every answer below the addresses of the vault, refusals as well, as not to be kept. */
export const marked = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const response = yield* answer
    return /^\/(vault|authentication|secret-providers)(?![^/?])/.test(url)
      ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
      : response
  })
