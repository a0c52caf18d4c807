/** Values that break programs, and JSON that is changed by them. */
import { type Draw, generate, type JsonSchema, pick } from "../support/JsonSchema.ts"

export const texts: ReadonlyArray<string> = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udfffb",
  "\u202e\u200b\ufeff",
  "\uffff",
  "\u{10ffff}",
  "e\u0301".repeat(200),
  "\r\nx-injected: 1",
  "x".repeat(257),
  "x".repeat(1_025),
  "x".repeat(2_049),
  "é".repeat(40_000),
  "../../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "{{",
  "}}{{",
  "{{ $ }}",
  "{{context.inputs.x}}",
  "{{ ( }}",
  "//*[",
  "//*[@a='",
  "css=",
  "css=[",
  "' or 1=1 --",
  "\\",
  "%00",
  "%",
  "$1 $& \\1",
  "(a+)+$",
  "[",
  "1970-01-01T00:00:00Z",
  "-271821-04-20T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "2027-02-30T25:61:61Z",
  "9999-12-31T23:59:59.999999999Z",
  "1e400",
  "-0",
  "NaN",
  "null",
  "true",
  "0",
  "99999999999999999999",
  "http://127.0.0.1:1",
  "https://[::1",
  "https://a.example/%",
  "http://",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://user:password@a.example",
  "<script>alert(1)</script>",
  "00000000-0000-0000-0000-000000000000",
  "UTC",
  "Europe/Nowhere",
  "24:00",
  "MONDAY"
]

const numbers: ReadonlyArray<number> = [
  0,
  -0,
  -1,
  1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  -1e21,
  1e-320,
  Number.MAX_VALUE
]

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** A value of any type, out of place where it is put. */
export const anything = (draw: Draw): unknown => {
  const kind = draw()
  if (kind < 0.45) return pick(texts, draw)
  if (kind < 0.65) return pick(numbers, draw)
  return pick<() => unknown>(
    [
      () => null,
      () => true,
      () => false,
      () => [],
      () => ({}),
      () => [null],
      () => [[[[]]]],
      () => ({ "": "" }),
      () => JSON.parse('{"__proto__": {"polluted": true}}'),
      () => ({ $ref: "#" }),
      () => JSON.parse('{"then": 1, "toString": null, "toJSON": "x"}'),
      () => nested(20),
      () => nested(95),
      () => nested(300),
      () => Array.from({ length: 300 }, () => 0),
      () => Array.from({ length: 300 }, (_, index) => ({ id: index }))
    ],
    draw
  )()
}

/** Draws a value at or just past a bound of a schema; nothing when it has none. */
const pastBound = (schema: JsonSchema, draw: Draw): { readonly value: unknown } | null => {
  const near = (bound: unknown) => Number(bound) + pick([-1, 0, 1], draw)
  const lengths = [schema.minLength, schema.maxLength].filter((one) => one !== undefined)
  if (lengths.length > 0) {
    return { value: "x".repeat(Math.max(0, Math.min(near(pick(lengths, draw)), 250_000))) }
  }
  const sizes = [schema.minItems, schema.maxItems].filter((one) => one !== undefined)
  if (sizes.length > 0)
    return { value: Array.from({ length: Math.max(0, Math.min(near(pick(sizes, draw)), 2_000)) }, () => "x") }
  const ends = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum]
  const known = ends.filter((one) => one !== undefined)
  return known.length > 0 ? { value: near(pick(known, draw)) } : null
}

/** Draws a value that `schema` almost allows: parts of it lie on its bounds, past them, or are something else. */
export const almost = (schema: JsonSchema, draw: Draw, resolve: (ref: string) => JsonSchema, depth = 0): unknown => {
  if (typeof schema.$ref === "string") return almost(resolve(schema.$ref), draw, resolve, depth)
  if (draw() < 0.04) return anything(draw)
  if (draw() < 0.3) {
    const found = pastBound(schema, draw)
    if (found !== null) return found.value
  }
  const alternatives = (schema.anyOf ?? schema.oneOf) as ReadonlyArray<JsonSchema> | undefined
  if (alternatives !== undefined) return almost(pick(alternatives, draw), draw, resolve, depth)
  if (schema.type === "object" && schema.properties !== undefined) {
    const required = new Set((schema.required ?? []) as ReadonlyArray<string>)
    return Object.fromEntries(
      Object.entries(schema.properties as Record<string, JsonSchema>)
        .filter(([name]) => draw() < (required.has(name) ? 0.97 : depth < 4 ? 0.5 : 0.1))
        .map(([name, property]) => [name, almost(property, draw, resolve, depth + 1)])
    )
  }
  if (schema.type === "array" && depth < 6) {
    const length = Math.floor(draw() * 4)
    return Array.from({ length }, () => almost((schema.items ?? {}) as JsonSchema, draw, resolve, depth + 1))
  }
  if (schema.type === "string" && draw() < 0.2) return pick(texts, draw)
  return generate(schema, draw, resolve, depth)
}

/** A value changed at one place: something else put there, taken away, doubled, renamed or added. */
export const changed = (value: unknown, draw: Draw): unknown => {
  if (draw() < 0.1 || typeof value !== "object" || value === null) return anything(draw)
  if (Array.isArray(value)) {
    const at = Math.floor(draw() * value.length)
    const how = draw()
    if (value.length === 0 || how < 0.1) return [...(value as ReadonlyArray<unknown>), anything(draw)]
    if (how < 0.2) return value.filter((_, index) => index !== at)
    if (how < 0.3) return [...(value as ReadonlyArray<unknown>), value[at]]
    return value.map((item: unknown, index) => (index === at ? changed(item, draw) : item))
  }
  const names = Object.keys(value)
  if (names.length === 0) return { [pick(texts, draw)]: anything(draw) }
  const name = pick(names, draw)
  const { [name]: old, ...others } = value as Record<string, unknown>
  const how = draw()
  if (how < 0.1) return others
  if (how < 0.16) return { ...value, [pick(texts, draw)]: anything(draw) }
  if (how < 0.2) return { ...others, [pick(texts, draw)]: old }
  return { ...others, [name]: changed(old, draw) }
}
