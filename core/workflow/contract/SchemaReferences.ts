/**
 * Limits on the references of a JSON Schema. A reference leads to a part of the same document. It must not lead back to
 * its own part without descending into the value, and the number of schemas that references apply to one place is
 * bounded, so that compiling stays fast.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"

/** Maximum number of schemas that apply to one place of a value, counted along every reference. */
export const maxApplied = 2_000

/** The reason why the references of a schema are refused; `null` if they are accepted. */
export const refusal = (schema: Schema.JsonObject): string | null => {
  /** The number of schemas that apply where this one does; `null` while it is being counted. */
  const applied = new Map<Schema.Json, number | null>()
  const count = (one: Schema.Json | undefined, depth: number): number => {
    if (!Json.isObject(one)) return 1
    const known = applied.get(one)
    if (known === null) throw new Refused("a part of it refers to itself without going into a property or an item")
    if (known !== undefined) return known
    if (depth > maxDepth) throw new Refused("its references are nested too deeply")
    applied.set(one, null)
    let total = 1
    for (const part of inPlace(one, schema)) {
      total += count(part, depth + 1)
      if (total > maxApplied) throw new Refused(`its references apply more than ${maxApplied} schemas to one place`)
    }
    applied.set(one, total)
    return total
  }
  try {
    for (const part of everyPart(schema)) count(part, 0)
    return null
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

/** Whether a schema has references. */
export const hasAny = (schema: Schema.JsonObject): boolean =>
  everyPart(schema).some((part) => typeof part.$ref === "string")

/** Far more levels than realistic schemas have, and too few to exhaust the stack. */
const maxDepth = 500

/** Raised within this file. */
class Refused extends Error {}

/** The schemas that apply to the same place of a value as this one. */
const inPlace = (schema: Schema.JsonObject, root: Schema.JsonObject): ReadonlyArray<Schema.Json> => {
  const { $ref, dependencies } = schema
  const target = typeof $ref === "string" ? targetOf($ref, root) : undefined
  return [
    ...(target === undefined ? [] : [target]),
    ...["allOf", "anyOf", "oneOf"].flatMap((name) => {
      const all: unknown = schema[name]
      return Array.isArray(all) ? all : []
    }),
    ...["not", "if", "then", "else"].flatMap((name) => {
      const one = schema[name]
      return one === undefined ? [] : [one]
    }),
    ...(Json.isObject(dependencies) ? Object.values(dependencies).filter(Json.isObject) : [])
  ]
}

/** The target of a reference within the document. The compiler refuses any other reference. */
const targetOf = (ref: string, root: Schema.JsonObject): Schema.Json | undefined => {
  if (ref === "#" || ref === "") return root
  if (!ref.startsWith("#/")) return undefined
  let found: Schema.Json | undefined = root
  for (const written of ref.slice(2).split("/")) {
    const name = decoded(written).replaceAll("~1", "/").replaceAll("~0", "~")
    found = Array.isArray(found)
      ? found[Number(name)]
      : Json.isObject(found) && Object.hasOwn(found, name)
        ? found[name]
        : undefined
  }
  return found
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Every object in the document: a reference may lead to any of them. */
const everyPart = (schema: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> => {
  const found: Array<Schema.JsonObject> = []
  const pending: Array<Schema.Json> = [schema]
  for (const one of pending) {
    if (Json.isObject(one)) found.push(one)
    if (typeof one === "object" && one !== null) for (const field of Object.values(one)) pending.push(field)
  }
  return found
}
