/** Reads JSON with the line of each object and list in it, as reports on files name lines. */
import { Result, type Schema } from "effect"
import type { Unreadable } from "./Recording.ts"

export interface LinedJson {
  readonly value: Schema.Json
  /** The line of an object or a list of the value, counted from 1; `null` for any other. */
  readonly lineOf: (value: unknown) => number | null
}

/** Maximum nesting of objects and lists. */
export const mostLevels = 200

const space = /[ \t\n\r]*/y
const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const quoted = /"(?:[^"\\]|\\.)*"/y

interface Cursor {
  readonly text: string
  at: number
  line: number
  readonly lines: WeakMap<object, number>
}

class Wrong extends Error {}

/** Parses a text. Fails with the line of the first error. */
export const parse = (text: string): Result.Result<LinedJson, Unreadable> => {
  const cursor: Cursor = { text, at: text.startsWith("\ufeff") ? 1 : 0, line: 1, lines: new WeakMap() }
  try {
    const value = valueAt(cursor, 0)
    skip(cursor)
    if (cursor.at < text.length) throw new Wrong("expected the end of the file")
    return Result.succeed({
      value,
      lineOf: (one) => (typeof one === "object" && one !== null ? (cursor.lines.get(one) ?? null) : null)
    })
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    const message = `Cannot read the JSON at line ${cursor.line}: ${error.message}, got ${seenAt(cursor)}`
    return Result.fail({ path: "", message })
  }
}

const seenAt = ({ at, text }: Cursor): string => (at >= text.length ? "the end of the file" : JSON.stringify(text[at]))

const skip = (cursor: Cursor): void => {
  take(cursor, space)
}

/** Takes what matches at the cursor; `null` if nothing does. */
const take = (cursor: Cursor, pattern: RegExp): string | null => {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0]
  if (found === undefined) return null
  for (let at = found.indexOf("\n"); at >= 0; at = found.indexOf("\n", at + 1)) cursor.line++
  cursor.at += found.length
  return found
}

const expect = (cursor: Cursor, sign: string): void => {
  skip(cursor)
  if (cursor.text[cursor.at] !== sign) throw new Wrong(`expected ${JSON.stringify(sign)}`)
  cursor.at++
}

const valueAt = (cursor: Cursor, level: number): Schema.Json => {
  if (level > mostLevels) throw new Wrong(`expected at most ${mostLevels} levels of objects and lists`)
  skip(cursor)
  switch (cursor.text[cursor.at]) {
    case "{":
      return objectAt(cursor, level)
    case "[":
      return listAt(cursor, level)
    case '"':
      return stringAt(cursor)
    default: {
      const found = take(cursor, word)
      if (found === null) throw new Wrong("expected a value")
      return JSON.parse(found)
    }
  }
}

const stringAt = (cursor: Cursor): string => {
  const found = take(cursor, quoted)
  if (found === null) throw new Wrong("expected a text with its closing quotation mark")
  try {
    return JSON.parse(found)
  } catch {
    throw new Wrong("expected a text without control characters and unknown escapes before this place")
  }
}

/** Whether another member follows, after a comma. */
const continues = (cursor: Cursor, end: string): boolean => {
  skip(cursor)
  const sign = cursor.text[cursor.at]
  if (sign !== "," && sign !== end) throw new Wrong(`expected "," or ${JSON.stringify(end)}`)
  cursor.at++
  return sign === ","
}

const isEmptyUpTo = (cursor: Cursor, end: string): boolean => {
  skip(cursor)
  if (cursor.text[cursor.at] !== end) return false
  cursor.at++
  return true
}

const objectAt = (cursor: Cursor, level: number): Schema.Json => {
  const members: Array<readonly [string, Schema.Json]> = []
  const { line } = cursor
  expect(cursor, "{")
  if (!isEmptyUpTo(cursor, "}")) {
    do {
      skip(cursor)
      if (cursor.text[cursor.at] !== '"') throw new Wrong("expected the name of a member in quotation marks")
      const name = stringAt(cursor)
      expect(cursor, ":")
      members.push([name, valueAt(cursor, level + 1)])
    } while (continues(cursor, "}"))
  }
  const value = Object.fromEntries(members)
  cursor.lines.set(value, line)
  return value
}

const listAt = (cursor: Cursor, level: number): Schema.Json => {
  const items: Array<Schema.Json> = []
  const { line } = cursor
  expect(cursor, "[")
  if (!isEmptyUpTo(cursor, "]")) {
    do items.push(valueAt(cursor, level + 1))
    while (continues(cursor, "]"))
  }
  cursor.lines.set(items, line)
  return items
}
