/**
 * Operations so small that they take less time than handing them to another thread, for any content.
 */
import type { Schema } from "effect"
import type { Input, Name } from "./Operations.ts"

/**
 * A schema of so few parts compiles within 30 ms. Without references each part of it looks at each part of a value at
 * most once, and without patterns and `uniqueItems` it looks in time that grows with the size of that part: so a check
 * takes at most the product of both, at about 50 ns each.
 */
const maxSchemaParts = 200
const maxProduct = 200_000

/** The most parts of what an operation is asked: writing them out holds the process for less than 100 ms. */
export const maxParts = 600_000

/** Whether an operation takes a few milliseconds, judged by its form. */
export const isSmall = <N extends Name>(name: N, asked: Input<N>): boolean => {
  switch (name) {
    case "checkInput":
    case "rehearse": {
      // The name tells the type of the input, also of `checkInput`.
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

/** Keywords whose cost does not follow from the size of the schema and the value. */
const costly = new Set(["$ref", "$id", "uniqueItems", "pattern", "patternProperties"])

/** How many parts a schema has; infinite if the form does not bound the cost. */
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

/** How many parts a value has, where long texts count for several; `null` for more than `most`. */
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
