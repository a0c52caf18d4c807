/** Writes JSON in pieces, so that the whole text of a large value is never in memory. */
import type { Schema } from "effect"
import * as Json from "../../core/workspace/Json.ts"

/** An object or a list, with the progress of writing it. */
type Frame = { next: number; written: number } & (
  | { readonly names: ReadonlyArray<string>; readonly object: Schema.JsonObject }
  | { readonly elements: ReadonlyArray<Schema.Json> }
)

/**
 * The text of `JSON.stringify` for a value, in pieces of about `length` characters, at least one. No piece divides a
 * surrogate pair.
 */
export function* write(value: Schema.Json, length: number): Generator<string, void> {
  const frames: Array<Frame> = []
  let text = ""
  let next: Schema.Json | undefined = value
  while (true) {
    if (typeof next === "string" && next.length > length) {
      yield `${text}"`
      text = ""
      for (let from = 0; from < next.length; ) {
        let end = Math.min(from + length, next.length)
        if (end < next.length && splitsPair(next, end)) end++
        yield JSON.stringify(next.slice(from, end)).slice(1, -1)
        from = end
      }
      text = '"'
    } else if (Json.isObject(next)) {
      frames.push({ names: Object.keys(next), object: next, next: 0, written: 0 })
      text += "{"
    } else if (typeof next === "object" && next !== null) {
      frames.push({ elements: next, next: 0, written: 0 })
      text += "["
    } else text += JSON.stringify(next ?? null)

    next = undefined
    while (next === undefined) {
      if (text.length >= length) {
        yield text
        text = ""
      }
      const frame = frames.at(-1)
      if (frame === undefined) {
        yield text
        return
      }
      const index = frame.next++
      if ("elements" in frame) {
        if (index < frame.elements.length) {
          if (frame.written++ > 0) text += ","
          next = frame.elements[index] ?? null
          continue
        }
        text += "]"
      } else {
        const name = frame.names[index]
        if (name !== undefined) {
          const field = frame.object[name]
          if (field === undefined) continue
          text += `${frame.written++ === 0 ? "" : ","}${JSON.stringify(name)}:`
          next = field
          continue
        }
        text += "}"
      }
      frames.pop()
    }
  }
}

/** Returns whether a cut at a position would divide a surrogate pair. */
const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
