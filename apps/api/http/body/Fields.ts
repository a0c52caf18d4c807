/**
 * The common parts of the descriptions of several endpoints.
 */
import { Schema } from "effect"
import * as Errors from "../Errors.ts"

/** The parameters of a path that names a workflow. */
export const workflow = { workflow_id: Schema.String }

/** The parameters of a path that names a run. */
export const session = { session_id: Schema.String }

/** A field that may be left out; `null` is the same as leaving it out. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/**
 * A value that was parsed from JSON text is JSON: looking at every value of it again would take long, and find nothing.
 */
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

/** How a change of one thing may be refused. */
export const edits = [Errors.BadRequest, Errors.Forbidden, Errors.NotFound] as const
