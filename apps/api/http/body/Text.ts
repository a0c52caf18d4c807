/**
 * Finds what cannot be stored as it was sent: texts with a NUL character, which PostgreSQL refuses, and those with a lone
 * surrogate, which has no form in UTF-8 and would be changed on the way to the database; and numbers that lose digits.
 */
import { Effect, Option, type Schema } from "effect"
import * as JsonParser from "../../../../adapters/json/JsonParser.ts"
import { within } from "../../../../core/window/Problems.ts"
import type { Problem } from "../../../../core/workflow/Workflow.ts"
import * as Json from "../../../../core/workspace/Json.ts"

/** How many problems are reported of one request. */
const most = 100

/** A body without either escape has no such text: as bytes, neither character is valid JSON in UTF-8. */
const suspicious = /\\u(0000|[dD][89a-fA-F])|\d{16}|\d[eE]\+?\d{3}/
const longestMark = 16

/** Whether a piece of a JSON body, or the place where it follows the one before, may have such a value. */
export const isSuspicious = (before: string, piece: string): boolean =>
  suspicious.test(piece) || suspicious.test(before.slice(1 - longestMark) + piece.slice(0, longestMark - 1))

interface Frame {
  /** The names of an object; `null` for an array. */
  readonly names: ReadonlyArray<string> | null
  readonly values: ReadonlyArray<Schema.Json | undefined>
  next: number
}

/** The number of values that are checked in one turn. */
const inOneTurn = 20_000

/** Every text and number of a JSON body that cannot be stored, at its path. A body that is not JSON has none. */
export const problemsOf = Effect.fnUntraced(function* (pieces: ReadonlyArray<string>) {
  // The parser of the endpoint says what is wrong with a text that is not JSON.
  const numbers = new Map<Schema.Json, string>()
  const bare: JsonParser.ReadBare = (written) => {
    const value: Schema.Json = JSON.parse(written)
    if (typeof value !== "number" || Json.keepsDigits(written)) return value
    const standIn: Schema.Json = {}
    numbers.set(standIn, written)
    return standIn
  }
  const body = yield* Effect.option(JsonParser.parse(pieces, bare))
  const problems: Array<Problem> = []
  const path: Array<string | number> = []
  const report = (message: string) => {
    if (problems.length < most) problems.push({ path: path.reduce(within, ""), message })
  }
  const frames: Array<Frame> = [{ names: null, values: Option.toArray(body), next: 0 }]
  for (let looked = 1; ; looked++) {
    if (looked % inOneTurn === 0) yield* Effect.yieldNow
    const frame = frames.at(-1)
    if (frame === undefined) return problems
    // The path of the body itself is empty.
    const isWithin = frames.length > 1
    if (frame.next > 0 && isWithin) path.pop()
    if (frame.next >= frame.values.length) {
      frames.pop()
      continue
    }
    const at = frame.next++
    const name = frame.names?.[at]
    const wrongName = name === undefined ? null : complaint(name)
    if (isWithin) path.push(name === undefined ? at : wrongName === null ? name : shown(name))
    if (wrongName !== null) report(`The name of this field: ${wrongName}`)
    const value = frame.values[at] ?? null
    const number = numbers.get(value)
    if (number !== undefined) report(`Expected a number that keeps its digits, or a text, got ${number.slice(0, 40)}`)
    else if (typeof value === "string") {
      const wrong = complaint(value)
      if (wrong !== null) report(wrong)
    } else if (Array.isArray(value)) frames.push({ names: null, values: value, next: 0 })
    else if (typeof value === "object" && value !== null) {
      frames.push({ names: Object.keys(value), values: Object.values(value), next: 0 })
    }
  }
})

/** Parameters of an address that cannot be stored, at their names. Escapes that are no UTF-8 stay as they were sent. */
export const problemsOfAddress = (pattern: string, path: string, query: string): ReadonlyArray<Problem> => {
  if (!path.includes("%00") && !query.includes("%00")) return []
  const parts = path.split("/")
  const inPath = pattern
    .split("/")
    .flatMap((part, at) => (part.startsWith(":") && parts[at]?.includes("%00") ? [part.slice(1)] : []))
  const inQuery = query
    .split("&")
    .flatMap((part) => (part.includes("%00") ? [shown(nameOf(part.split("=", 1)[0] ?? ""))] : []))
  return [...inPath, ...inQuery].slice(0, most).map((path) => ({ path, message: withNul }))
}

const nameOf = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

const withNul = "Expected text without the character U+0000"

const complaint = (text: string): string | null => {
  if (text.includes("\0")) return withNul
  if (!text.isWellFormed()) return "Expected well-formed Unicode text, got a lone surrogate"
  return null
}

/** A name as a message may show it. */
const shown = (name: string): string =>
  name
    .slice(0, 80)
    .replaceAll("\0", "\\u0000")
    .replace(/\p{Surrogate}/gu, "\ufffd")
