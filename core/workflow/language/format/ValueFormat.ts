/** How a site writes a value, which removes the doubt about it. */

import { Schema } from "effect"
import * as TextLength from "../../../window/TextLength.ts"
import { optional } from "../../../workspace/request/ParsedJson.ts"
import * as DatePattern from "./DatePattern.ts"

const isLocale = (tag: string): boolean => {
  try {
    return Intl.NumberFormat.supportedLocalesOf([tag]).length === 1
  } catch {
    return false
  }
}

export const ValueFormat = Schema.Struct({
  /** The locale of its figures and of the names of its months. */
  locale: optional(
    Schema.String.check(
      Schema.makeFilter((tag) =>
        isLocale(tag) ? undefined : `Expected a language tag that is known, such as "de-DE", not "${tag.slice(0, 50)}"`
      )
    )
  ),
  /** The sign before decimals. */
  decimal: optional(
    Schema.String.check(
      Schema.makeFilter((sign) => (/^[.,]$/.test(sign) ? undefined : 'Expected "." or ",", the sign before decimals'))
    )
  ),
  /** The pattern of a date. */
  date: optional(
    Schema.String.check(
      TextLength.atMost(50),
      Schema.makeFilter((pattern) => DatePattern.wrong(pattern) ?? undefined)
    )
  )
})
export type ValueFormat = typeof ValueFormat.Type

/** Why a format does not fit a value of these types; `null` where it does. */
export const wrongFor = ({ date, decimal, locale }: ValueFormat, types: ReadonlyArray<string>): string | null => {
  const isNumber = types.includes("number") || types.includes("integer")
  const isText = types.includes("string")
  if ((date ?? null) !== null) {
    if ((decimal ?? null) !== null) return "Expected date or decimal, not both"
    return isText && !isNumber ? null : "Expected the type string for a date, which is read as ISO 8601"
  }
  if ((decimal ?? locale ?? null) === null) return "Expected locale, decimal or date"
  return isNumber ? null : "Expected the type number or integer for a locale or decimal"
}
