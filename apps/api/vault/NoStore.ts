/** Marks answers about credentials as not cacheable, neither by the caller nor by proxies. */
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Endpoints from "../http/Endpoints.ts"

/** Marks every answer below the addresses of the vault, refusals as well, as not to be kept. */
export const marked = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
    Endpoints.mayStore(url)
      ? answer
      : // The router sends its own answers; answers made outside of it are sent as they are returned.
        answer.pipe(
          HttpEffect.withPreResponseHandler((_, response) => Effect.succeed(mark(response))),
          Effect.map(mark)
        )
  )

const mark = HttpServerResponse.setHeader("cache-control", "no-store")
