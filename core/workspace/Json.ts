/**
 * JSON values of users and of stores, before a schema has read them.
 */
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

/** The object that a value is; an empty one for anything else. */
export const objectOf: ObjectOf = (value: unknown): Schema.JsonObject => (isJsonObject(value) ? value : {})

/** Whether anything in a value is within more than `levels` objects and lists. The stack does not grow with the depth. */
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
