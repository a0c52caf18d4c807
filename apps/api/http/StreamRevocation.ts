/** Ends a stream when the key of its request is revoked, or its session ends. */
import { Effect, Option, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Identity from "../console/Identity.ts"

/**
 * Makes the function that ends a stream in order before the first piece of it that comes when the key of the request
 * was revoked, or its session has ended. While the key store is unavailable, the stream stays open: its content comes
 * from the same database.
 */
export const make = Effect.gen(function* () {
  const identify = yield* Identity.make
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const isValid = identify(request).pipe(
      Effect.map(Option.isSome),
      Effect.catchTag("StoreUnavailable", () => Effect.succeed(true))
    )
    return <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.takeWhileEffect(stream, () => isValid)
  })
})
