/** Example inputs of a workflow, made from the examples, defaults and choices in its input schema. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { Content } from "../Workflow.ts"
import * as InputContract from "./InputContract.ts"
import * as VaultSchema from "./VaultSchema.ts"

export interface Example {
  readonly name: string
  readonly payload: Schema.JsonObject
}

/** Maximum number of generated examples. */
const most = 20

/**
 * Makes distinct examples that satisfy the input contract. The list is empty when the schema does not give enough
 * information, such as a pattern without an example.
 */
export const examplesOf = (content: Pick<Content, "input_schema" | "vault_schema">): ReadonlyArray<Example> => {
  const schema = InputContract.effectiveSchema(content)
  const aliases = VaultSchema.withExamples(content.vault_schema)
  const properties = Object.entries(fieldsOf(schema.properties)).map(([name, property]) => {
    const alias = fieldsOf(aliases[name]).example
    return { name, values: alias === undefined ? valuesOf(property, 0) : [alias] }
  })
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const first = (isWanted: (name: string) => boolean): Schema.JsonObject =>
    Object.fromEntries(
      properties.flatMap(({ name, values: [value] }) =>
        isWanted(name) && value !== undefined ? [[name, value] as const] : []
      )
    )
  const whole = first(() => true)
  const candidates: ReadonlyArray<Example> = [
    { name: "Every input", payload: whole },
    { name: "Required inputs only", payload: first((name) => required.has(name)) },
    ...(Array.isArray(schema.examples) ? schema.examples : [schema.example]).flatMap(
      (given: Schema.Json | undefined, index) =>
        Json.isObject(given)
          ? [{ name: `Example ${index + 1} of the schema`, payload: { ...first((name) => name in aliases), ...given } }]
          : []
    ),
    ...properties.flatMap(({ name, values }) =>
      values.slice(1).map((value) => ({ name: `${name}: ${named(value)}`, payload: { ...whole, [name]: value } }))
    )
  ]
  const seen = new Set<string>()
  return candidates
    .filter(({ payload }) => {
      const text = JSON.stringify(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)))
      const isNew = !seen.has(text) && InputContract.violations(schema, payload).length === 0
      seen.add(text)
      return isNew
    })
    .slice(0, most)
}

const maxDepth = 8

/** Candidate values for a property, the most likely first. */
const valuesOf = (property: Schema.Json | undefined, depth: number): ReadonlyArray<Schema.Json> => {
  if (!Json.isObject(property) || depth > maxDepth) return []
  const { const: constant, default: fallback, enum: choices, example, examples } = property
  const given = [
    ...(example === undefined ? [] : [example]),
    ...(Array.isArray(examples) ? examples : []),
    ...(fallback === undefined ? [] : [fallback]),
    ...(constant === undefined ? [] : [constant]),
    ...(Array.isArray(choices) ? choices : [])
  ]
  if (given.length > 0) return given.filter((value, index) => given.indexOf(value) === index)
  const alternatives = [property.anyOf, property.oneOf].find(Array.isArray)
  if (alternatives !== undefined && property.type === undefined) {
    return alternatives.flatMap((one: Schema.Json) => valuesOf(one, depth + 1).slice(0, 1))
  }
  const made = madeUp(property, depth)
  return made === undefined ? [] : [made]
}

/** A value of the type of a property, within its bounds. */
const madeUp = (property: Schema.JsonObject, depth: number): Schema.Json | undefined => {
  const types = Array.isArray(property.type) ? property.type : [property.type]
  const number = (name: string, otherwise: number): number => {
    const value = property[name]
    return typeof value === "number" ? value : otherwise
  }
  switch (types[0] ?? (Json.isObject(property.properties) ? "object" : "string")) {
    case "string":
      return "example".padEnd(Math.min(number("minLength", 0), 10_000), "x").slice(0, number("maxLength", Infinity))
    case "integer":
    case "number":
      return numberWithin(property, types[0] === "integer", number)
    case "boolean":
      return true
    case "null":
      return null
    case "array": {
      const [item] = valuesOf(Array.isArray(property.items) ? property.items[0] : property.items, depth + 1)
      const length = Math.min(Math.max(number("minItems", 1), 0), 100, number("maxItems", Infinity))
      return item === undefined ? [] : Array.from({ length }, () => item)
    }
    default:
      return Object.fromEntries(
        Object.entries(fieldsOf(property.properties)).flatMap(([name, one]) => {
          const [value] = valuesOf(one, depth + 1)
          return value === undefined ? [] : [[name, value] as const]
        })
      )
  }
}

const numberWithin = (
  property: Schema.JsonObject,
  isWhole: boolean,
  number: (name: string, otherwise: number) => number
): number => {
  const step = number("multipleOf", isWhole ? 1 : 0)
  const from = Math.max(
    number("minimum", -Infinity),
    typeof property.exclusiveMinimum === "number" ? property.exclusiveMinimum + (step || 0.5) : -Infinity
  )
  const to = Math.min(
    number("maximum", Infinity),
    typeof property.exclusiveMaximum === "number" ? property.exclusiveMaximum - (step || 0.5) : Infinity
  )
  const near = Math.min(Math.max(1, from), to)
  return step > 0 ? (near >= 0 ? Math.ceil(near / step) : Math.floor(near / step)) * step : near
}

const named = (value: Schema.Json): string => JSON.stringify(value).slice(0, 60)

const fieldsOf = (value: Schema.Json | undefined): Schema.JsonObject => (Json.isObject(value) ? value : {})
