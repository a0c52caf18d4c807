/**
 * The permitted references of a JSON Schema: lead from one part of the document to another, and neither back to the
 * same part without going into the value, nor to so many parts at one place that compiling them takes long.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"

/** How many schemas may apply to one place of a value, counted along every reference. */
export const maxApplied = 2_000

/** Why a schema cannot be used for its references; `null` when it can. */
export const refusal = (schema: Schema.JsonObject): string | null => {
  /** How many schemas apply where this one does; `null` while it is being counted. */
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

/** Far more levels than people write, and nothing that exhausts a stack. */
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

/** The target of a reference within the document. Any other reference is for the compiler to refuse. */
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
