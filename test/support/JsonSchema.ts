/**
 * JSON that a JSON schema allows, and nearly valid JSON, generated from a seed.
 */

export type JsonSchema = Readonly<Record<string, unknown>>

/** Numbers from 0 to 1, the same ones for the same seed. */
export type Draw = () => number

export const draws = (seed: number): Draw => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <A>(values: ReadonlyArray<A>, draw: Draw): A => {
  const value = values[Math.floor(draw() * values.length)]
  if (value === undefined) throw new Error("There is nothing to pick from")
  return value
}

const words = ["", "a", "Nightly", "  spaced  ", "Zürich ✓", "x".repeat(40), "0", "null", "{{context.inputs.x}}"]

/** Generates a value that `schema` allows. `resolve` follows references. */
export const generate = (schema: JsonSchema, draw: Draw, resolve: (ref: string) => JsonSchema, depth = 0): unknown => {
  if (typeof schema.$ref === "string") return generate(resolve(schema.$ref), draw, resolve, depth)
  if ("const" in schema) return schema.const
  if (Array.isArray(schema.enum)) return pick(schema.enum, draw)
  const alternatives = (schema.anyOf ?? schema.oneOf) as ReadonlyArray<JsonSchema> | undefined
  if (alternatives !== undefined) return generate(pick(alternatives, draw), draw, resolve, depth)
  const all = (schema.allOf ?? []) as ReadonlyArray<JsonSchema>
  if (all.length > 0) {
    const { allOf: _all, ...rest } = schema
    return generate(Object.assign({}, rest, ...all), draw, resolve, depth)
  }
  switch (Array.isArray(schema.type) ? pick(schema.type, draw) : schema.type) {
    case "string":
      return text(schema, draw)
    case "integer":
      return Math.round(number(schema, draw))
    case "number":
      return number(schema, draw)
    case "boolean":
      return draw() < 0.5
    case "null":
      return null
    case "array":
      return list(schema, draw, resolve, depth)
    case "object":
      return fields(schema, draw, resolve, depth)
    default:
      return pick<unknown>([null, 7, "anything", true, [1, "two"], { three: 3 }], draw)
  }
}

const uuid = "00000000-0000-4000-8000-0000000000ff"

const text = (schema: JsonSchema, draw: Draw): string => {
  if (schema.format === "uuid") return uuid
  const [least, most] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 1_000)]
  if (typeof schema.pattern === "string") {
    const fitting = [...words, uuid, "2027-01-31T08:00:00Z"].filter((word) =>
      new RegExp(String(schema.pattern)).test(word)
    )
    return pick(fitting, draw)
  }
  return pick(
    words.filter((word) => word.length >= least && word.length <= most),
    draw
  )
}

const number = (schema: JsonSchema, draw: Draw): number => {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000)
  const most = Number(schema.maximum ?? schema.exclusiveMaximum ?? Math.max(least, 0) + 1_000)
  return pick([least, most, least + (most - least) * draw()], draw)
}

const list = (
  schema: JsonSchema,
  draw: Draw,
  resolve: (ref: string) => JsonSchema,
  depth: number
): ReadonlyArray<unknown> => {
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? 4), depth > 4 ? least : least + 3)
  const length = least + Math.floor(draw() * (most - least + 1))
  const items = (schema.items ?? {}) as JsonSchema
  return Array.from({ length }, () => generate(items, draw, resolve, depth + 1))
}

const fields = (schema: JsonSchema, draw: Draw, resolve: (ref: string) => JsonSchema, depth: number): object => {
  const required = new Set((schema.required ?? []) as ReadonlyArray<string>)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return Object.fromEntries(
    properties
      .filter(([name]) => required.has(name) || (depth < 5 && draw() < 0.5))
      .map(([name, property]) => [name, generate(property, draw, resolve, depth + 1)])
  )
}

/** Values of every type, for fields of other types. */
const garbage: ReadonlyArray<unknown> = [null, 42, -1.5, "", "garbage", true, [], [[]], {}, { a: { b: 1 } }]

/** A value changed in one place: a field dropped, or another type put in its place. */
export const mutate = (value: unknown, draw: Draw): unknown => {
  if (draw() < 0.15) return pick(garbage, draw)
  if (Array.isArray(value) && value.length > 0) {
    const at = Math.floor(draw() * value.length)
    return value.map((item: unknown, index) => (index === at ? mutate(item, draw) : item))
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const names = Object.keys(value)
    if (names.length === 0) return pick(garbage, draw)
    const name = pick(names, draw)
    const { [name]: old, ...others } = value as Record<string, unknown>
    return draw() < 0.3 ? others : { ...others, [name]: mutate(old, draw) }
  }
  return pick(garbage, draw)
}
