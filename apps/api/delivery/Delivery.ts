/** Adds entity tags to answers, and compresses them if the client accepts that. */
import { Effect } from "effect"
import { HttpEffect, HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as Endpoints from "../http/Endpoints.ts"
import * as Conditional from "./Conditional.ts"

/** JSON and the parts of pages. Files and streams are not compressed. */
const compressible =
  /^(?:application\/(?:[\w.-]+\+)?json|application\/javascript|text\/(?:html|css|javascript)|image\/svg\+xml)(?:;|$)/i

const compressed = HttpMiddleware.compression({
  algorithms: ["br", "gzip"],
  compressible: (contentType) => compressible.test(contentType)
})

/**
 * Prepares the answers of the server. Answers with secrets get no tag and are not compressed, because their compressed
 * length could reveal the secrets.
 */
export const prepared = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(answer, (response) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      if (!Endpoints.mayStore(url) || response.body._tag !== "Uint8Array") return Effect.succeed(response)
      // Runs last, because the endpoint may set a tag itself.
      const tagged = HttpEffect.appendPreResponseHandler((request, response) =>
        Effect.succeed(Conditional.answer(request, response))
      )
      return Effect.andThen(tagged, compressed(Effect.succeed(response)))
    })
  )
