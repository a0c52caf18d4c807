/**
 * Ends an endless answer when the key of its request is revoked.
 */
import { Effect, Option, Redacted, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { Keys } from "../../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { keyOf } from "./Authorization.ts"

/**
 * Makes the function that ends a stream in order before the first piece of it that comes when the key of the request
 * was revoked. While the key store is unavailable, the stream stays open: its content comes from the same database.
 */
export const make = Effect.gen(function* () {
  const keys = yield* Keys
  const workspaces = yield* WorkspaceStore
  return Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const hash = yield* keys.hash(Redacted.make(keyOf(headers)))
    const isValid = workspaces.authenticate(hash).pipe(
      Effect.map(Option.isSome),
      Effect.catchTag("StoreUnavailable", () => Effect.succeed(true))
    )
    return <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.takeWhileEffect(stream, () => isValid)
  })
})
