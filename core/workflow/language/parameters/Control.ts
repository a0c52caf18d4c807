/**
 * The parameters of the actions that control the flow of a run: conditions, loops, waiting, and asking a person.
 */
import { Schema } from "effect"
import * as Json from "../../../workspace/Json.ts"
import * as InputContract from "../../contract/InputContract.ts"
import * as Executions from "./Executions.ts"
import { filled, flag, optionalText, wait_time } from "./Fields.ts"

/** Default time to wait for the answer of a person, in milliseconds. */
export const defaultAnswerMillis = 180_000

/** The request to a person: a JSON schema of an object with at least one property. */
const ExpectedDataModel = Schema.JsonObject.check(
  Schema.makeFilter((schema) => {
    const { properties } = schema
    if (typeof properties !== "object" || properties === null || Object.keys(properties).length === 0) {
      return "Expected a JSON schema of an object with at least one property"
    }
    return InputContract.checkSchema(schema, "")[0]?.message
  })
)

/** The comparison operators of conditions. */
export const operators = [
  "EQUAL",
  "NOT_EQUAL",
  "CONTAINS",
  "NOT_CONTAINS",
  "STARTS_WITH",
  "ENDS_WITH",
  "IS_NULL",
  "IS_NOT_NULL"
] as const

/** Maximum number of turns of a loop over a number. */
const maxTurns = 100_000

/**
 * The items of a loop: the elements of a list, or the numbers from 0 up to but not including a number; either may be
 * JSON text. An object counts as a list of one element and `null` as an empty list, because JSONata returns these for
 * one result and for none. `null` for any other value.
 */
export const elementsOf = (over: Schema.Json): ReadonlyArray<Schema.Json> | null => {
  if (Array.isArray(over)) return over
  if (over === null || over === "") return []
  if (typeof over === "object") return [over]
  if (typeof over === "string") {
    try {
      const read = Json.parse(over)
      return typeof read === "string" ? null : elementsOf(read)
    } catch {
      return null
    }
  }
  if (typeof over !== "number" || !Number.isInteger(over) || over < 0 || over > maxTurns) return null
  return Array.from({ length: over }, (_, index) => index)
}

export const expectedElements = `expected a list, or a number of turns from 0 to ${maxTurns}`

const isWritten = (over: Schema.Json): boolean => over !== null && over !== "" && elementsOf(over) !== null

export const control = {
  BOOL_CONDITION: Schema.Struct({
    ...Executions.ofCondition,
    comparison_operator: Schema.optionalKey(Schema.NullOr(Schema.Literals(operators))),
    comparison_value_1: Schema.optionalKey(Schema.Json),
    comparison_value_2: Schema.optionalKey(Schema.Json),
    clear_cookies_on_false: flag,
    wait_time,
    until_settled: flag,
    error_on_false_message: optionalText
  }).check(
    Schema.makeFilter(({ comparison_operator, execution, prompt }) => {
      if (!Executions.isModelExecution(execution)) {
        return comparison_operator == null
          ? { path: ["comparison_operator"], issue: `Expected one of ${operators.join(", ")}` }
          : undefined
      }
      return (prompt ?? "").trim() === ""
        ? { path: ["prompt"], issue: `Expected a prompt with the condition, as execution is ${execution}` }
        : undefined
    })
  ),
  LOOP: Schema.Struct({
    variable_over: Schema.Json,
    variable_current_item: filled,
    variable_current_index: filled
  }).check(
    Schema.makeFilter(({ variable_current_index, variable_current_item, variable_over }) => [
      ...((typeof variable_over === "string" && variable_over.includes("{{")) || isWritten(variable_over)
        ? []
        : [{ path: ["variable_over"], issue: `Cannot loop over this: ${expectedElements}, or an expression` }]),
      ...(variable_current_index === variable_current_item
        ? [{ path: ["variable_current_index"], issue: "Expected a name that differs from variable_current_item" }]
        : [])
    ])
  ),
  DELAY: Schema.Struct({ delay_time: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3_600 })) }),
  USER_INTERACTION: Schema.Struct({
    expected_datamodel: ExpectedDataModel,
    server_message: optionalText,
    timeout: Schema.optionalKey(
      Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 1_000, maximum: 300_000 })))
    ),
    error_message: optionalText
  }),
  END: Schema.Struct({})
} as const
