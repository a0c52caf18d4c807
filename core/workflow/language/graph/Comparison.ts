/**
 * How conditions compare two values.
 */
import type { Schema } from "effect"
import { even, seen } from "../format/SeenText.ts"
import type { operators } from "../parameters/Control.ts"

export type Operator = (typeof operators)[number]

/** A value as text: the empty text for `null`, JSON for lists and objects. */
export const asText = (value: Schema.Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** Whether a value counts as missing: `null`, "", "null" or the empty list. */
export const isNothing = (value: Schema.Json): boolean =>
  value === null || value === "" || value === "null" || (Array.isArray(value) && value.length === 0)

/**
 * Returns whether a comparison holds. Values compare as texts, and those as a person sees them: `true` equals "true", and
 * a no-break space a plain one. A list contains its elements.
 */
export const holds = (operator: Operator, one: Schema.Json, other: Schema.Json): boolean => {
  switch (operator) {
    case "EQUAL":
      return isSame(one, other)
    case "NOT_EQUAL":
      return !isSame(one, other)
    case "CONTAINS":
      return contains(one, other)
    case "NOT_CONTAINS":
      return !contains(one, other)
    case "STARTS_WITH":
      return even(asText(one)).startsWith(even(asText(other)))
    case "ENDS_WITH":
      return even(asText(one)).endsWith(even(asText(other)))
    case "IS_NULL":
      return isNothing(one)
    case "IS_NOT_NULL":
      return !isNothing(one)
  }
}

/** Like `holds` for a field of the context. A comparison for inequality does not hold for a field without a value. */
export const holdsOfField = (operator: Operator, field: Schema.Json, other: Schema.Json): boolean =>
  operator === "NOT_EQUAL" && field === null ? false : holds(operator, field, other)

const isSame = (one: Schema.Json, other: Schema.Json): boolean => {
  const [left, right] = [asText(one), asText(other)]
  return left === right || seen(left) === seen(right)
}

const contains = (one: Schema.Json, other: Schema.Json): boolean =>
  Array.isArray(one)
    ? one.some((element: Schema.Json) => isSame(element, other))
    : even(asText(one)).includes(even(asText(other)))
