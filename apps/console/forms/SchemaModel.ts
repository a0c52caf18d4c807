/** Forms made from JSON schemas: the fields of a form, and the values of its texts. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

export interface FieldModel {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly kind: "text" | "secret" | "number" | "integer" | "switch" | "choice" | "json"
  readonly choices: ReadonlyArray<string>
  readonly isRequired: boolean
  /** The initial text of the field. */
  readonly initial: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Names of values that are hidden on the screen. */
const secret = /code|otp|password|secret|pin\b|token/i

/** The fields of an object schema, in its order. They are filled from `values`, else from defaults and examples. */
export const fieldsOf = (
  schema: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>> = {}
): ReadonlyArray<FieldModel> => {
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  const known = Object.entries(properties).map(([name, given]) =>
    fieldOf(name, isObject(given) ? given : {}, values, required)
  )
  const extra = Object.keys(values).filter((name) => !(name in properties))
  return [...known, ...extra.map((name) => fieldOf(name, {}, values, required))]
}

const fieldOf = (
  name: string,
  given: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
  required: ReadonlySet<string>
): FieldModel => {
  const value = name in values ? values[name] : given.default
  const kind = kindOf(name, given, value)
  return {
    name,
    label: typeof given.title === "string" ? given.title : name,
    hint: typeof given.description === "string" ? given.description : "",
    kind,
    choices: Array.isArray(given.enum) ? given.enum.map(textOf) : [],
    isRequired: required.has(name),
    initial: value === undefined ? "" : textOf(value)
  }
}

const kindOf = (name: string, given: Readonly<Record<string, unknown>>, value: unknown): FieldModel["kind"] => {
  if (Array.isArray(given.enum)) return "choice"
  const type = Array.isArray(given.type) ? given.type.find((one) => one !== "null") : given.type
  switch (type ?? (value === undefined ? "string" : Array.isArray(value) ? "array" : typeof value)) {
    case "integer":
      return "integer"
    case "number":
      return "number"
    case "boolean":
      return "switch"
    case "string":
      return secret.test(name) ? "secret" : "text"
    default:
      return "json"
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A text that an expression makes when a run is submitted: it takes the place of a value of any kind. */
const isExpression = (text: string): boolean => text.includes("{{")

/** The fields of a form whose values may be expressions: one that has one now is a text. */
export const withExpressions = (fields: ReadonlyArray<FieldModel>): ReadonlyArray<FieldModel> =>
  fields.map((field) =>
    isExpression(field.initial) && (field.kind === "choice" || field.kind === "switch")
      ? { ...field, kind: "text" as const }
      : field
  )

/** The values of the filled fields, and the problems of the others. With `expressions`, these are values of any field. */
export const read = (
  fields: ReadonlyArray<FieldModel>,
  texts: Readonly<Record<string, string>>,
  { expressions = false }: { readonly expressions?: boolean } = {}
): { readonly values: Readonly<Record<string, Json>>; readonly problems: Readonly<Record<string, string>> } => {
  const values: Record<string, Json> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = texts[field.name] ?? field.initial
    if (text === "" && field.kind !== "switch") {
      if (field.isRequired) problems[field.name] = "This input is needed"
      continue
    }
    const value = expressions && isExpression(text) ? text : valueOf(field, text)
    if (value === undefined) problems[field.name] = expected[field.kind] ?? "This value cannot be read"
    else values[field.name] = value
  }
  return { values, problems }
}

const expected: Readonly<Partial<Record<FieldModel["kind"], string>>> = {
  integer: "Expected a whole number, such as 3",
  number: "Expected a number, such as 2.5",
  json: 'Expected JSON, such as ["a", "b"]'
}

const valueOf = ({ choices, kind }: FieldModel, text: string): Json | undefined => {
  switch (kind) {
    case "integer":
      return /^-?\d+$/.test(text.trim()) ? Number(text) : undefined
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined
    case "switch":
      return text === "true"
    case "json":
      return parsed(text)
    case "choice": {
      const value = parsed(text)
      return choices.includes(text) &&
        typeof value !== "string" &&
        value !== undefined &&
        JSON.stringify(value) === text
        ? value
        : text
    }
    default:
      return text
  }
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
