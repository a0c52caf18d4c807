/**
 * Writes JSON in pieces, so that the text of a large value is never whole in memory.
 */
import type { Schema } from "effect"

interface Frame {
  /** The names of an object; `null` for an array. */
  readonly names: ReadonlyArray<string> | null
  readonly value: Schema.JsonObject | ReadonlyArray<Schema.Json>
  next: number
  written: number
}

/**
 * The text that `JSON.stringify` writes of a value, in pieces of about `length` characters, at least one. No piece ends
 * within a character.
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
    } else if (Array.isArray(next)) {
      frames.push({ names: null, value: next, next: 0, written: 0 })
      text += "["
    } else if (typeof next === "object" && next !== null) {
      frames.push({ names: Object.keys(next), value: next as Schema.JsonObject, next: 0, written: 0 })
      text += "{"
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
      const { names, value } = frame
      const index = frame.next++
      if (names === null) {
        const elements = value as ReadonlyArray<Schema.Json>
        if (index < elements.length) {
          if (frame.written++ > 0) text += ","
          next = elements[index] ?? null
          continue
        }
      } else if (index < names.length) {
        const name = names[index] as string
        const field: Schema.Json | undefined = (value as Schema.JsonObject)[name]
        if (field === undefined) continue
        text += `${frame.written++ === 0 ? "" : ","}${JSON.stringify(name)}:`
        next = field
        continue
      }
      text += names === null ? "]" : "}"
      frames.pop()
    }
  }
}

/** Returns whether a cut there would part the two halves of a character. */
const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
