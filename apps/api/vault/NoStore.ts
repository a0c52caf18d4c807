/** Answers about credentials are for whoever asked, and nobody on the way may keep them. */
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Marks every answer below the addresses of the vault, refusals as well, as not to be kept. */
export const marked = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
    /^\/(vault|authentication|secret-providers|encryption-key)(?![^/?])/.test(url)
      ? // The router sends what it answers by itself; what is answered around it is sent as it is returned.
        answer.pipe(
          HttpEffect.withPreResponseHandler((_, response) => Effect.succeed(mark(response))),
          Effect.map(mark)
        )
      : answer
  )

const mark = HttpServerResponse.setHeader("cache-control", "no-store")
