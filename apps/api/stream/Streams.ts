/** Answers that are streams. Each takes a slot of its key and workspace, and holds at most one piece in memory. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Deferred, Effect, Layer, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { Closing } from "../http/Closing.ts"
import * as TooMany from "../http/TooMany.ts"
import * as StreamPlaces from "./StreamPlaces.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The `Retry-After` of a refused stream, in milliseconds. */
const retryAfterMillis = 5_000

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Answers the current request with a stream, or with 429 if its holder has reached a limit.
     *
     * The next piece is pulled when the former one has left the process. The stream ends when its client closes its side
     * of the connection, and when the server begins to close.
     */
    readonly answer: (
      holder: StreamPlaces.StreamOwner,
      pieces: Stream.Stream<Uint8Array, unknown>,
      options: { readonly contentType: string; readonly headers: Readonly<Record<string, string>> }
    ) => Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>
  }
>()("sluice/apps/api/stream/Streams") {
  static readonly layer = Layer.effect(
    Streams,
    Effect.gen(function* () {
      const closing = yield* Closing
      const runSync = Effect.runSyncWith(yield* Effect.context())
      const places = StreamPlaces.make(yield* StreamPlaces.StreamLimits)
      return Streams.of({
        answer: Effect.fnUntraced(function* (holder, pieces, options) {
          const taken = places.take(holder)
          if (typeof taken !== "function") return refusal(taken)
          const request = yield* HttpServerRequest.HttpServerRequest
          // The server supports only HTTP/1.
          const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
          const gone = Deferred.makeUnsafe<void>()
          yield* Gauges.openStreams(1)
          onceLeft(response, () => {
            taken()
            runSync(Gauges.openStreams(-1))
            Deferred.doneUnsafe(gone, Effect.void)
          })
          const paced = Stream.transformPull(Stream.rechunk(pieces, 1), (pull) => {
            // `Stream.interruptWhen` would ask for a piece ahead, which counts as word that the one before was written.
            const next = pulledAfter(pull, sent(response))
            return Effect.succeed(Effect.raceAllFirst([end(Deferred.await(gone)), end(closing.begun), next]))
          })
          return HttpServerResponse.stream(paced, options)
        })
      })
    })
  )
}

/** The key that a stream is counted for. */
export const holderOf = ({ keyId, userId, workspaceId }: Caller): StreamPlaces.StreamOwner => ({
  workspaceId,
  key: keyId ?? userId
})

/** The end of a stream, when an effect has completed. */
const end = (when: Effect.Effect<void>) => Effect.andThen(when, Cause.done())

/** The items of the next pull, if all pulls but the first wait until those before were `taken`. */
const pulledAfter = <A, E, R>(pull: Effect.Effect<A, E, R>, taken: Effect.Effect<void>): Effect.Effect<A, E, R> => {
  let isFirst = true
  return Effect.suspend(() => {
    if (!isFirst) return Effect.andThen(taken, pull)
    isFirst = false
    return pull
  })
}

/** Waits until all that was written of a response has left the process: an empty write is carried out after the others. */
const sent = (response: ServerResponse): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    response.write("", () => resume(Effect.void))
  })

/**
 * Does something once, when a response or its connection is closed, by its client alone as well; at once if that has
 * happened. A response that waits behind another one on its connection does not report the end of the connection.
 */
const onceLeft = (response: ServerResponse, act: () => void): void => {
  const { socket } = response.req
  const done = () => {
    response.off("close", done)
    socket.off("end", done)
    socket.off("close", done)
    act()
  }
  response.once("close", done)
  socket.once("end", done)
  socket.once("close", done)
  if (response.closed || socket.destroyed || socket.readableEnded) done()
}

const refusal = ({ limit, scope }: StreamPlaces.ExhaustedLimit): Response => {
  const [holder, setting] =
    scope === "key" ? ["This API key", "SLUICE_STREAMS_PER_KEY"] : ["This workspace", "SLUICE_STREAMS_PER_WORKSPACE"]
  const message = `${holder} has ${limit} streams open here, and may have ${limit}: close one, then ask again`
  return TooMany.answer({ message, limit, setting, retryAfterMillis })
}
