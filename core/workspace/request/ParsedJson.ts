/** JSON values of a body, which was parsed from JSON text: to look at every value of it again takes long, and finds nothing. */
import { Schema } from "effect"

const parsed = { representation: { id: "effect/schema/Json", payload: null }, toCodecJson: () => undefined }

/** Any JSON value of a request, at no cost however large it is. */
export const json = Schema.declare((value): value is Schema.Json => value !== undefined, {
  ...parsed,
  expected: "a JSON value"
})

const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Any JSON object of a request, at no cost however large it is. */
export const jsonObject = Schema.declare(isObject, { ...parsed, expected: "an object" }).check(
  Schema.makeFilter(isObject, { toJsonSchema: () => ({ type: "object" }) })
)
