/** JSON values of a body, which was parsed from JSON text: to look at every value of it again takes long, and finds nothing. */
import { Schema } from "effect"
import * as Json from "../Json.ts"

const parsed = { representation: { id: "effect/schema/Json", payload: null }, toCodecJson: () => undefined }

/** Any JSON value of a request, at no cost however large it is. */
export const json = Schema.declare((value): value is Schema.Json => value !== undefined, {
  ...parsed,
  expected: "a JSON value"
})

const isObject = (value: unknown): value is Schema.JsonObject => Json.isObject(value)

/** Any JSON object of a request, at no cost however large it is. */
export const jsonObject = Schema.declare(isObject, { ...parsed, expected: "an object" }).check(
  Schema.makeFilter(isObject, { toJsonSchema: () => ({ type: "object" }) })
)

/** A field that may be left out; `null` is the same as leaving it out. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
