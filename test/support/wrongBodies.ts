/** Bodies in which every described field is wrong, and the fields that a refusal names. */
import type { JsonSchema } from "./JsonSchema.ts"

type Resolve = (ref: string) => JsonSchema

/** A schema without references; of several forms, the first one of an object. */
const plain = (schema: JsonSchema, resolve: Resolve): JsonSchema => {
  if (typeof schema.$ref === "string") return plain(resolve(schema.$ref), resolve)
  const forms = (schema.anyOf ?? schema.oneOf) as ReadonlyArray<JsonSchema> | undefined
  return forms?.map((one) => plain(one, resolve)).find(({ type }) => type === "object") ?? schema
}

/** The types that values of a schema have; `null` where they may have any. */
const typesOf = (schema: JsonSchema, resolve: Resolve): ReadonlyArray<unknown> | null => {
  if (typeof schema.$ref === "string") return typesOf(resolve(schema.$ref), resolve)
  const forms = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as ReadonlyArray<JsonSchema> | undefined
  if (forms !== undefined) {
    const all = forms.map((one) => typesOf(one, resolve))
    return all.includes(null) ? null : all.flatMap((types) => types ?? [])
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => typeof value)
  return schema.type === undefined ? null : [schema.type].flat()
}

/**
 * An object that has each field of a body with a value of a type that the field does not have; `null` for a body without
 * such fields. Fields that take any value are left out.
 */
export const wrongBody = (schema: JsonSchema, resolve: Resolve): Readonly<Record<string, unknown>> | null => {
  const { properties = {} } = plain(schema, resolve)
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, field]) => {
    const types = typesOf(field, resolve)
    return types === null ? [] : [[name, types.includes("boolean") ? "wrong" : true] as const]
  })
  return fields.length === 0 ? null : Object.fromEntries(fields)
}

/** The names of the fields that a refusal is about, from its `errors` or, for the older endpoints, from its `detail`. */
export const namedFields = (body: Readonly<Record<string, unknown>>): ReadonlySet<string> => {
  const paths = ((body.errors ?? []) as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)
  const places = ((body.detail ?? []) as ReadonlyArray<{ readonly loc: ReadonlyArray<string> }>).map(
    ({ loc }) => loc[1]
  )
  return new Set([...paths.map((path) => path.split(/[.[]/)[0]), ...places].filter((name) => name !== undefined))
}
