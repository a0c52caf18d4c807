/** Recognises operations that take less time than sending them to another thread. */
import type { Schema } from "effect"
import type { Input, Name } from "./Operations.ts"

/**
 * A schema of this many parts compiles within 30 ms. Without references, each part checks each part of a value at most
 * once; without patterns and `uniqueItems`, in time linear in the size of that part. So a check takes at most the
 * product of both sizes, at about 50 ns each.
 */
const maxSchemaParts = 200
const maxProduct = 200_000

/** Maximum number of parts of an operation's input. Serializing them takes less than 100 ms. */
export const maxParts = 600_000

/** Whether an operation takes at most a few milliseconds, judged by its input. */
export const isSmall = <N extends Name>(name: N, asked: Input<N>): boolean => {
  switch (name) {
    case "checkInput":
    case "rehearse": {
      // The name determines the type of the input, also for `checkInput`.
      const { content, input } = asked as Input<"rehearse">
      const parts = simpleParts(content.input_schema) + 8 * Object.keys(content.vault_schema).length
      return isQuick(parts, input)
    }
    case "violation":
    case "problems": {
      // As above.
      const { schema, value } = asked as Input<"problems">
      return isQuick(simpleParts(schema), value)
    }
    default:
      return false
  }
}

const isQuick = (parts: number, value: Schema.Json): boolean =>
  parts <= maxSchemaParts && weightOf(value, Math.floor(maxProduct / (parts + 1))) !== null

/** Keywords whose cost is not bounded by the sizes of the schema and the value. */
const costly = new Set(["$ref", "$id", "uniqueItems", "pattern", "patternProperties"])

/** The number of parts of a schema; infinite if it has a keyword of unbounded cost. */
const simpleParts = (schema: Schema.Json): number => {
  const pending: Array<Schema.Json> = [schema]
  let characters = 0
  for (const one of pending) {
    if (pending.length > maxSchemaParts) return Infinity
    if (typeof one === "string") characters += one.length
    if (typeof one !== "object" || one === null) continue
    for (const [name, field] of Object.entries(one)) {
      if (costly.has(name)) return Infinity
      characters += name.length
      pending.push(field)
    }
    if (characters > maxSchemaCharacters) return Infinity
  }
  return pending.length
}

const maxSchemaCharacters = 20_000

/** The number of parts of a value, where a long text counts as several; `null` for more than `most`. */
export const weightOf = (value: unknown, most: number): number | null => {
  const pending: Array<unknown> = [value]
  let weight = 0
  for (let one = pending.pop(); pending.length > 0 || one !== undefined; one = pending.pop()) {
    weight += typeof one === "string" ? 1 + one.length / charactersPerPart : 1
    if (weight + pending.length > most) return null
    if (Array.isArray(one)) for (const element of one) pending.push(element)
    else if (typeof one === "object" && one !== null) {
      // Any object is a record of unknown values.
      for (const name in one) pending.push((one as Readonly<Record<string, unknown>>)[name])
    }
  }
  return weight
}

const charactersPerPart = 64
