/** Reads the bodies of received messages, of any type, counted while they arrive. */
import { Effect, Option, Result, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Errors from "../http/Errors.ts"

/** A mail of 10 MB, with its attachments as they are written in JSON. */
export const maxMailBytes = 15_728_640
export const maxSmsBytes = 65_536

class TooLarge {
  readonly _tag = "TooLarge"
}

class NoRoom {
  readonly _tag = "NoRoom"
}

/** How many bytes may still be held of bodies that are being read. */
export interface Room {
  left: number
}

/** The memory for bodies of senders that authenticate by a signature of the body. */
export const makeRoom = (): Room => ({ left: 4 * maxMailBytes })

/** The bytes of a body, or a refusal: if it is too large, or if the shared memory is full. */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number,
  room: Room = { left: Number.POSITIVE_INFINITY }
): Effect.Effect<Result.Result<Buffer, HttpServerResponse.HttpServerResponse>> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Effect.succeed(Result.fail(tooLarge(maxBytes)))
  const chunks: Array<Uint8Array> = []
  let size = 0
  return request.stream.pipe(
    Stream.runForEach((chunk): Effect.Effect<void, TooLarge | NoRoom> => {
      size += chunk.length
      room.left -= chunk.length
      if (size > maxBytes) return Effect.fail(new TooLarge())
      if (room.left < 0) return Effect.fail(new NoRoom())
      chunks.push(chunk)
      return Effect.void
    }),
    Effect.match({
      onSuccess: () => Result.succeed(Buffer.concat(chunks)),
      onFailure: (error) => {
        if (error._tag === "TooLarge") return Result.fail(tooLarge(maxBytes))
        if (error._tag === "NoRoom") return Result.fail(noRoom)
        return Result.fail(
          HttpServerResponse.jsonUnsafe(Errors.badRequest("The body ended before it was complete"), { status: 400 })
        )
      }
    }),
    Effect.ensuring(
      Effect.sync(() => {
        room.left += size
      })
    )
  )
}

const noRoom = HttpServerResponse.jsonUnsafe(
  Errors.general(503, "Too many messages are being received at once; send this one again later"),
  { status: 503, headers: { connection: "close", "retry-after": "30" } }
)

const tooLarge = (maxBytes: number) =>
  HttpServerResponse.jsonUnsafe(
    {
      ...Errors.general(413, `The body is larger than ${maxBytes} bytes, the limit of this endpoint`),
      code: "PAYLOAD_TOO_LARGE",
      limit_bytes: maxBytes
    },
    // The rest of it is not read.
    { status: 413, headers: { connection: "close" } }
  )

/** The JSON of a body; none where it is no JSON. */
export const json = (body: Buffer | string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(body.toString()))
  } catch {
    return Option.none()
  }
}
