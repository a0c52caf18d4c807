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

/** Which bound of views is reached: that of the process, or that of the workspace. */
export type Full = "process" | "workspace"

/** Bounds the number of concurrent looks, of all workspaces and of each; the bound that is reached for those beyond it. */
export const limited = (most: number) => {
  const open = new Map<string, number>()
  let all = 0
  return <A, E>(workspaceId: string, share: number | null, stream: Stream.Stream<A, E>): Stream.Stream<A, E> | Full => {
    const own = open.get(workspaceId) ?? 0
    if (share !== null && own >= share) return "workspace"
    if (all >= most) return "process"
    const count = (by: 1 | -1) =>
      Effect.sync(() => {
        all += by
        const left = (open.get(workspaceId) ?? 0) + by
        if (left > 0) open.set(workspaceId, left)
        else open.delete(workspaceId)
      })
    return Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(count(1), () => count(-1)),
        stream
      )
    )
  }
}
