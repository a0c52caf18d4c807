/**
 * Reads what a site answered as JSON. An answer is weighed in turns before it is parsed, which is done at once: a site that
 * sends nothing but structure does not hold the event loop.
 */
import { Effect, type Schema } from "effect"
import * as Turns from "../../redaction/Turns.ts"
import * as Json from "../../workspace/Json.ts"

/** Texts of fewer characters are parsed as they are. */
const short = 65_536

/** So many texts, lists, objects and what separates values are parsed in less than 100 ms. */
const mostParts = 450_000

/** How many characters are looked at in one step. */
const stepLength = 8_192

/**
 * The answer as JSON, whose numbers that lose digits are the texts of their digits, or else as the text that it is; `null` where there is none,
 * `undefined` where it has too many parts.
 */
export const read = Effect.fnUntraced(function* (text: string | null | undefined) {
  if (text === null || text === undefined || text === "") return null
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (json.length > short && /^\s*[[{]/.test(json.slice(0, 1_000))) {
    if ((yield* Turns.inTurns(() => parts(json))) > mostParts) return undefined
    // Weighing and parsing each take a separate turn of the event loop.
    yield* Effect.yieldNow
  }
  const value = parsed(json, text)
  if (json.length > short) yield* Effect.yieldNow
  return value
})

const parsed = (json: string, text: string): Schema.Json => {
  try {
    return Json.parse(mayLoseDigits.test(json) ? keepingDigits(json) : json)
  } catch {
    return text
  }
}

const mayLoseDigits = /\d{16}|\d[eE]\+?\d{3}/
const textsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const keepingDigits = (json: string): string =>
  json.replace(textsAndNumbers, (found) => (found.startsWith('"') || Json.keepsDigits(found) ? found : `"${found}"`))

const [quote, comma, colon, backslash, openList, openObject] = [0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x7b]

/** The number of parts of a text, counted up to the limit. */
const parts = function* (text: string): Turns.Work<number> {
  let count = 0
  let isInText = false
  let isEscaped = false
  for (let from = 0; from < text.length && count <= mostParts; from += stepLength) {
    const to = Math.min(from + stepLength, text.length)
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at)
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (unit === backslash) isEscaped = true
        else if (unit === quote) isInText = false
      } else if (unit === quote) {
        isInText = true
        count++
      } else if (unit === comma || unit === colon || unit === openList || unit === openObject) count++
    }
    yield to - from
  }
  return count
}
