/**
 * Schemas for JSON values of a request body. The body was parsed from JSON text, so nested values are not checked
 * again.
 */
import { Schema } from "effect"
import * as Json from "../Json.ts"

const parsed = { representation: { id: "effect/schema/Json", payload: null }, toCodecJson: () => undefined }

/** Any JSON value of a request. The check takes constant time. */
export const json = Schema.declare((value): value is Schema.Json => value !== undefined, {
  ...parsed,
  expected: "a JSON value"
})

const isObject = (value: unknown): value is Schema.JsonObject => Json.isObject(value)

/** Any JSON object of a request. The check takes constant time. */
export const jsonObject = Schema.declare(isObject, { ...parsed, expected: "an object" }).check(
  Schema.makeFilter(isObject, { toJsonSchema: () => ({ type: "object" }) })
)

/** An optional field; `null` is the same as an absent field. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
