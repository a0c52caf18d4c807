/** Work that runs after the answer to a request is sent. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Runs an effect after the response was sent, or after the caller disconnected. The effect outlives the request. */
export type AfterResponse = (effect: Effect.Effect<void>) => Effect.Effect<void>

/** Without a server there is no answer to wait for. */
export const AfterResponse: Context.Reference<AfterResponse> = Context.Reference("sluice/apps/api/http/AfterResponse", {
  defaultValue: (): AfterResponse => (effect) => effect
})

/**
 * The one for a request as the server received it. It runs with the services of the moment at which this was made: it
 * takes no part in a transaction in which the request was answered.
 */
export const of = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<AfterResponse> =>
  Effect.map(Effect.context<never>(), (context) => {
    const response = NodeHttpServerRequest.toServerResponse(request)
    const sent = Effect.callback<void>((resume) => {
      const done = () => resume(Effect.void)
      if (response.closed || response.writableFinished) return done()
      response.once("finish", done).once("close", done)
    })
    return (effect) => Effect.sync(() => void Effect.runForkWith(context)(Effect.andThen(sent, effect)))
  })
