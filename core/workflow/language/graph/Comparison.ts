/**
 * How conditions compare two values.
 */
import type { Schema } from "effect"
import type { operators } from "../parameters/Control.ts"

export type Operator = (typeof operators)[number]

/** A value as text: the empty text for `null`, JSON for lists and objects. */
export const asText = (value: Schema.Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** Whether a value counts as missing: `null`, "", "null" or the empty list. */
export const isNothing = (value: Schema.Json): boolean =>
  value === null || value === "" || value === "null" || (Array.isArray(value) && value.length === 0)

/** Returns whether a comparison holds. Values compare as texts: `true` equals "true". A list contains its elements. */
export const holds = (operator: Operator, one: Schema.Json, other: Schema.Json): boolean => {
  switch (operator) {
    case "EQUAL":
      return asText(one) === asText(other)
    case "NOT_EQUAL":
      return asText(one) !== asText(other)
    case "CONTAINS":
      return contains(one, other)
    case "NOT_CONTAINS":
      return !contains(one, other)
    case "STARTS_WITH":
      return asText(one).startsWith(asText(other))
    case "ENDS_WITH":
      return asText(one).endsWith(asText(other))
    case "IS_NULL":
      return isNothing(one)
    case "IS_NOT_NULL":
      return !isNothing(one)
  }
}

/** Like `holds` for a field of the context. A comparison for inequality does not hold for a field without a value. */
export const holdsOfField = (operator: Operator, field: Schema.Json, other: Schema.Json): boolean =>
  operator === "NOT_EQUAL" && field === null ? false : holds(operator, field, other)

const contains = (one: Schema.Json, other: Schema.Json): boolean =>
  Array.isArray(one)
    ? one.some((element: Schema.Json) => asText(element) === asText(other))
    : asText(one).includes(asText(other))
