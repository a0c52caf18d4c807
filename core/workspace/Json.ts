/** Functions on JSON values that no schema has decoded yet. */
import type { Schema } from "effect"

interface IsObject {
  (value: Schema.Json | undefined): value is Schema.JsonObject
  (value: unknown): value is Readonly<Record<string, unknown>>
}

const isJsonObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is a JSON object: neither a list nor `null`. */
export const isObject: IsObject = isJsonObject

interface ObjectOf {
  (value: Schema.Json | undefined): Schema.JsonObject
  (value: unknown): Readonly<Record<string, unknown>>
}

/** The value if it is a JSON object, otherwise an empty object. */
export const objectOf: ObjectOf = (value: unknown): Schema.JsonObject => (isJsonObject(value) ? value : {})

/**
 * Whether a value is nested deeper than `levels` objects and lists. Iterative, so that depth cannot exhaust the stack.
 */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return false
}

/** Parses a text. Throws a `SyntaxError` for one that is not JSON. */
export const parse = (text: string): Schema.Json => JSON.parse(text)

/**
 * Whether a number keeps the digits that a text of JSON has for it: it is finite, and a whole number is exact or comes
 * back as it was written. The decimals of others may be rounded.
 */
export const keepsDigits = (written: string): boolean => {
  const number = Number(written)
  if (!Number.isFinite(number)) return false
  return !/^-?\d{16,}$/.test(written) || BigInt(number) === BigInt(written) || String(number) === written
}

/** The one text of a value: the fields of each object in the order of their names, and no white space. */
export const canonical = (value: Schema.Json): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([first], [second]) => (first < second ? -1 : 1)))
      : one
  )
