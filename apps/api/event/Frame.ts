/**
 * The frames of the event streams, as every known client can read them: bare line feeds, an explicit event name, one line of
 * data, and ASCII only, so that no character is split between two pieces of the network.
 */
import type { Schema } from "effect"
import * as JsonPieces from "../../../adapters/json/JsonPieces.ts"
import type { Links } from "../../../core/event/EventJson.ts"
import { message } from "../../../core/event/EventMessage.ts"
import type { LoggedEvent } from "../../../core/event/RunEvent.ts"

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** Minimum size of a piece before it is sent, in bytes. */
const pieceBytes = 65_536

/** The frames of a batch in pieces of whole frames, or of parts of a large one. Each is made when it is asked for. */
export function* frames<E extends LoggedEvent>(
  batch: ReadonlyArray<E>,
  links: Links,
  idOf: (entry: E) => string = ({ sequence }) => String(sequence)
): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let piece = ""
  for (const entry of batch) {
    for (const part of partsOf(entry, idOf(entry), links)) {
      piece += part
      if (piece.length < pieceBytes) continue
      yield encoder.encode(piece)
      piece = ""
    }
  }
  if (piece !== "") yield encoder.encode(piece)
}

/** A ping. With an id, a reader that reconnects continues after it. */
export const ping = (now: number, id: string | null = null): Uint8Array =>
  new TextEncoder().encode(`${id === null ? "" : `id: ${id}\n`}${frame("ping", { ts: now })}`)

/** Says which kinds of resources of a workspace were changed. A reader that reconnects continues after its id. */
export const changed = (kinds: ReadonlyArray<string>, id: string): Uint8Array =>
  new TextEncoder().encode(`id: ${id}\n${frame("workspace.changed", { kinds })}`)

/** One frame in parts. The final event of a run may be large, and serializing it at once would block other requests. */
function* partsOf(entry: LoggedEvent, id: string, links: Links): Generator<string> {
  const data = message(entry, links)
  const outer = { event: "run.event", data, timestamp: iso(data.timestamp), expires_at: iso(data.expires_at) }
  let part = `id: ${id}\n${begun("run.event")}`
  // Plain JSON, but an interface is not assignable to the type of JSON.
  for (const piece of JsonPieces.write(outer as Schema.Json, pieceBytes)) {
    if (part.length >= pieceBytes) {
      yield part
      part = ""
    }
    part += ascii(piece)
  }
  yield `${part}\n\n`
}

/** One frame. */
export const frame = (event: string, data: unknown): string => `${begun(event)}${ascii(JSON.stringify(data))}\n\n`

const begun = (event: string): string => `event: ${event}\ndata: `

const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
