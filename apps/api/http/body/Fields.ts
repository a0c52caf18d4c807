/**
 * The common parts of the descriptions of several endpoints.
 */
import { Schema } from "effect"
import * as ParsedJson from "../../../../core/workspace/request/ParsedJson.ts"
import * as Errors from "../Errors.ts"
import { instantExample, parseInstant } from "./Query.ts"

/** The parameters of a path that names a workflow. */
export const workflow = { workflow_id: Schema.String }

/** The parameters of a path that names a run. */
export const session = { session_id: Schema.String }

/** A field that may be left out; `null` is the same as leaving it out. */
export const optional = ParsedJson.optional

/** A whole number in the query of an address, which may be left out. */
export const wholeNumber = (minimum: number, maximum: number) =>
  Schema.optionalKey(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })))

/** An instant as a text with its offset, or a date. */
export const instant = Schema.String.check(
  Schema.makeFilter((text) => parseInstant(text) !== null || `Expected ${instantExample}, got "${text.slice(0, 80)}"`)
)

/** A text in the query of an address, which may be left out. Its handler checks it and names it where it is wrong. */
export const described = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The parameters of a page of a list, of which `most` is the longest. */
export const pageOf = (things: string, most: number, standard: number, cursors = Number.MAX_SAFE_INTEGER) => ({
  limit: wholeNumber(1, most).annotate({
    description: `The number of ${things} of a page, 1 to ${most}; default ${standard}`
  }),
  cursor: wholeNumber(1, cursors).annotate({ description: "The next_cursor of the page before" })
})

/** The answer to a request without other result. */
export const done = Schema.Struct({ success: Schema.Boolean, message: Schema.String })

/** The fields that have a value: neither `null` nor `undefined`. */
export const present = <A extends object>(fields: A) =>
  // `fromEntries` forgets the names that it is given.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], null | undefined>
  }

/** The errors of a change of one resource. */
export const edits = [Errors.BadRequest, Errors.Forbidden, Errors.NotFound] as const
