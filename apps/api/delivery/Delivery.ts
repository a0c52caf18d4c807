/**
 * What happens to an answer between its making and its sending: it gets an entity tag, and is compressed where the client
 * takes that.
 */
import { Effect } from "effect"
import { HttpEffect, HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as Endpoints from "../http/Endpoints.ts"
import * as Conditional from "./Conditional.ts"

/** JSON and what pages consist of. Files and streams are sent as they are. */
const compressible =
  /^(?:application\/(?:[\w.-]+\+)?json|application\/javascript|text\/(?:html|css|javascript)|image\/svg\+xml)(?:;|$)/i

const compressed = HttpMiddleware.compression({
  algorithms: ["br", "gzip"],
  compressible: (contentType) => compressible.test(contentType)
})

/**
 * Prepares the answers of the server for their clients. Answers that hold secrets get no tag and are not compressed: how
 * long they are would tell of the secrets.
 */
export const prepared = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(answer, (response) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      if (!Endpoints.mayStore(url) || response.body._tag !== "Uint8Array") return Effect.succeed(response)
      // What is registered last is done last: the endpoint may set a tag itself.
      const tagged = HttpEffect.appendPreResponseHandler((request, response) =>
        Effect.succeed(Conditional.answer(request, response))
      )
      return Effect.andThen(tagged, compressed(Effect.succeed(response)))
    })
  )
