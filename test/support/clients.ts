/**
 * How known clients read a stream of events: their differences, as observed on the wire.
 */
import { connect } from "node:net"
import { Effect } from "effect"
import { until } from "./waiting.ts"

export interface Seen {
  readonly event: string
  readonly data: { readonly data?: { readonly event: string; readonly payload: Record<string, unknown> } }
}

export interface RawStream {
  readonly head: () => string
  /** The body without chunk sizes, in the pieces that arrived. */
  readonly body: () => string
  readonly chunks: () => ReadonlyArray<string>
  readonly until: (done: (body: string) => boolean) => Promise<string>
  readonly ended: Promise<void>
  readonly close: () => void
}

/** Opens a stream over a plain socket, to read the bytes on the wire. */
export const openRaw = (url: string, path: string, key: string, headers: Record<string, string> = {}): RawStream => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = Buffer.alloc(0)
  socket.write(
    [`GET ${path} HTTP/1.1`, `host: ${hostname}:${port}`, `cc-key: ${key}`, "accept: text/event-stream"]
      .concat(Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
      .join("\r\n")
      .concat("\r\n\r\n")
  )
  socket.on("data", (piece) => {
    received = Buffer.concat([received, piece])
  })
  socket.on("error", () => {})
  const split = () => {
    const at = received.indexOf("\r\n\r\n")
    return at === -1
      ? { head: "", rest: Buffer.alloc(0) }
      : { head: received.subarray(0, at).toString(), rest: received.subarray(at + 4) }
  }
  const chunks = (): ReadonlyArray<string> => {
    const { rest } = split()
    const found: Array<string> = []
    for (let at = 0; at < rest.length; ) {
      const line = rest.indexOf("\r\n", at)
      if (line === -1) break
      const size = Number.parseInt(rest.subarray(at, line).toString(), 16)
      if (Number.isNaN(size) || rest.length < line + 2 + size) break
      found.push(rest.subarray(line + 2, line + 2 + size).toString())
      at = line + 2 + size + 2
    }
    return found
  }
  const body = () => chunks().join("")
  return {
    head: () => split().head,
    body,
    chunks,
    until: (done) => Effect.runPromise(until("what a stream brings", Effect.sync(body), done)),
    ended: new Promise((resolve) => socket.once("close", () => resolve())),
    close: () => socket.destroy()
  }
}

/** The frames of a body for the strictest reader: an empty line ends a frame, lines end in a bare line feed. */
export const framesOf = (body: string): ReadonlyArray<Seen> =>
  body
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const lines = frame.split("\n")
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ""
      return { event: field("event"), data: JSON.parse(field("data")) as Seen["data"] }
    })

/** The kinds of the events in a body, with their session. */
export const kindsOf = (body: string, session?: string): ReadonlyArray<string> =>
  framesOf(body).flatMap(({ data, event }) =>
    event === "run.event" && (session === undefined || data.data?.payload.session_id === session)
      ? [data.data?.event ?? ""]
      : []
  )
