/**
 * The stream of the live view: one response without end, in pieces that each have a kind, a length and content.
 */
import { Effect, Stream } from "effect"
import type { Frame } from "../../../core/execution/live/LiveChannel.ts"

/** The kinds of pieces: a status as JSON, and a picture as a JPEG. */
const kinds = { status: 1, picture: 2 }

const piece = (kind: number, content: Uint8Array): Uint8Array => {
  const all = new Uint8Array(5 + content.length)
  const view = new DataView(all.buffer)
  view.setUint8(0, kind)
  view.setUint32(1, content.length)
  all.set(content, 5)
  return all
}

/** Sends statuses and frames at once, and ends with the statuses. */
export const of = <E>(statuses: Stream.Stream<object, E>, frames: Stream.Stream<Frame>): Stream.Stream<Uint8Array, E> =>
  Stream.merge(
    Stream.map(statuses, (one) => piece(kinds.status, new TextEncoder().encode(JSON.stringify(one)))),
    // A slow reader gets the newest picture only.
    Stream.map(Stream.buffer(frames, { capacity: 1, strategy: "sliding" }), ({ bytes }) => piece(kinds.picture, bytes)),
    { haltStrategy: "left" }
  )

/** Bounds the number of concurrent looks; `null` for those beyond it. */
export const limited = (most: number) => {
  let inProgress = 0
  return <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E> | null => {
    if (inProgress >= most) return null
    return Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => {
            inProgress++
          }),
          () =>
            Effect.sync(() => {
              inProgress--
            })
        ),
        stream
      )
    )
  }
}
