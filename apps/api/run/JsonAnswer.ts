/**
 * JSON as an answer, whatever its size: what is large is written in pieces, and others are served between them.
 */
import { Effect, type Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as JsonPieces from "../../../adapters/json/JsonPieces.ts"

/** How many characters are written in one turn. */
const pieceLength = 131_072

const contentType = "application/json"

/** An answer of status 200. The value must not change while it is written. */
export const make = (value: Schema.Json): HttpServerResponse.HttpServerResponse => {
  const pieces = JsonPieces.write(value, pieceLength)
  const begin = [pieces.next(), pieces.next()]
  const [first, second] = begin.map((piece) => (piece.done === true ? "" : piece.value))
  if (second === "") return HttpServerResponse.text(first ?? "", { contentType })
  const encoder = new TextEncoder()
  const rest = Stream.fromIterable(pieces, { chunkSize: 1 })
  const all = Stream.concat(Stream.make(first ?? "", second ?? ""), rest).pipe(
    Stream.mapEffect((piece) => Effect.as(Effect.yieldNow, encoder.encode(piece)))
  )
  return HttpServerResponse.stream(all, { contentType })
}
