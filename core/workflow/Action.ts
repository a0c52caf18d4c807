/**
 * The actions of the graph language that are served, and the parameters of each.
 *
 * A schema here says what a saved workflow may hold. Left out parameters take the defaults that the interface names.
 */
import { Schema } from "effect"
import * as InputContract from "./InputContract.ts"
import * as SafePattern from "./SafePattern.ts"

const text = Schema.String
const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))
const optionalText = Schema.optionalKey(Schema.NullOr(text))
const millis = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))

/** How long an action waits for its element, in milliseconds, when it does not say. */
export const defaultWaitMillis = 15_000

/** How long a question to a person waits for its answer, in milliseconds, when it does not say. */
export const defaultAnswerMillis = 180_000

/** What a person is asked for: a JSON schema of an object with at least one property. */
const ExpectedDataModel = Schema.JsonObject.check(
  Schema.makeFilter((schema) => {
    const { properties } = schema
    if (typeof properties !== "object" || properties === null || Object.keys(properties).length === 0) {
      return "Expected a JSON schema of an object with at least one property"
    }
    return InputContract.checkSchema(schema, "")[0]?.message
  })
)

const wait_time = Schema.optionalKey(Schema.NullOr(millis))

const filled = text.check(Schema.isNonEmpty({ message: "Expected some text" }))

/** Model executions need a model, which no service without one can run. */
const execution = Schema.optionalKey(Schema.NullOr(Schema.Literals(["STATIC"])))

/** A node that carries it ends a dry run before it acts. */
const end_here_on_dry_run = flag

/** A node that carries it must not be done twice: a run that passed it is never tried again. */
const not_repeatable = flag

const acting = { wait_time, execution, end_here_on_dry_run, not_repeatable, human_mode: flag }

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

/** A data model: a JSON schema whose leaves say where their values are found. */
export interface DataModel {
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, DataModel>>
  readonly items?: DataModel
  readonly path?: string
  readonly selected?: boolean
  readonly overwriteArrayKeys?: ReadonlyArray<string>
}

const DataModel: Schema.Codec<DataModel> = Schema.Struct({
  type: Schema.optionalKey(Schema.Union([text, Schema.Array(text)])),
  properties: Schema.optionalKey(
    Schema.Record(
      text,
      Schema.suspend((): Schema.Codec<DataModel> => DataModel)
    )
  ),
  items: Schema.optionalKey(Schema.suspend((): Schema.Codec<DataModel> => DataModel)),
  path: Schema.optionalKey(text),
  selected: Schema.optionalKey(Schema.Boolean),
  overwriteArrayKeys: Schema.optionalKey(Schema.Array(text))
}).annotate({ identifier: "DataModel" })

/** A pattern that costs little whatever text it is matched with. */
const SafeRegex = text.check(Schema.makeFilter((source) => SafePattern.check(source) ?? undefined))

/** The parameters of every served action. */
export const parameters = {
  START: Schema.Struct({ url: filled }),
  END: Schema.Struct({}),
  NAVIGATE: Schema.Struct({ url: filled, end_here_on_dry_run, not_repeatable }),
  CLICK: Schema.Struct({
    ...acting,
    selector: filled,
    click_type: Schema.optionalKey(Schema.NullOr(Schema.Literals(["click", "double_click", "right_click", "hover"]))),
    selector_error_message: optionalText
  }),
  INPUT_TEXT: Schema.Struct({
    ...acting,
    text,
    selector: optionalText,
    do_not_clear: flag,
    submit_after_input: flag,
    aggressive_clear: flag,
    omit_focus: flag,
    paste_via_clipboard: flag,
    typing_delay_ms: Schema.optionalKey(
      Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
    ),
    selector_error_message: optionalText
  }).check(
    Schema.makeFilter((given) =>
      given.omit_focus === true || (given.selector ?? "") !== ""
        ? undefined
        : { path: ["selector"], issue: "Expected a selector, unless omit_focus is true" }
    )
  ),
  INPUT_SELECT: Schema.Struct({
    ...acting,
    selector: filled,
    value: text,
    fuzzy_match: flag,
    selector_error_message: optionalText
  }),
  EXTRACT_DATAMODEL: Schema.Struct({
    extract_data_model: DataModel,
    execution,
    selector: optionalText,
    wait_time,
    keep_html_metadata: flag,
    selector_error_message: optionalText
  }),
  BOOL_CONDITION: Schema.Struct({
    execution,
    comparison_operator: Schema.Literals(operators),
    comparison_value_1: Schema.optionalKey(Schema.Json),
    comparison_value_2: Schema.optionalKey(Schema.Json),
    clear_cookies_on_false: flag,
    wait_time,
    error_on_false_message: optionalText
  }),
  LOOP: Schema.Struct({
    variable_over: Schema.Json,
    variable_current_item: filled,
    variable_current_index: filled
  }),
  DELAY: Schema.Struct({ delay_time: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3_600 })) }),
  SCREENSHOT: Schema.Struct({
    metadata: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
    full_page: flag,
    wait_time
  }),
  USER_INTERACTION: Schema.Struct({
    expected_datamodel: ExpectedDataModel,
    server_message: optionalText,
    timeout: Schema.optionalKey(
      Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 1_000, maximum: 300_000 })))
    ),
    error_message: optionalText
  }),
  TFA: Schema.Struct({
    tfa_type: Schema.Literals(["SMS", "EMAIL", "AUTHENTICATOR", "MAGIC_LINK"]),
    credential: filled,
    selector: optionalText,
    execution,
    link_regex_pattern: Schema.optionalKey(Schema.NullOr(SafeRegex)),
    wait_time,
    error_message: optionalText,
    selector_error_message: optionalText,
    end_here_on_dry_run,
    not_repeatable
  }).check(
    Schema.makeFilter((given) =>
      given.tfa_type === "MAGIC_LINK" || (given.selector ?? "") !== ""
        ? undefined
        : {
            path: ["selector"],
            issue: "Expected the selector of the field for the code, unless tfa_type is MAGIC_LINK"
          }
    )
  )
} as const

export type ActionName = keyof typeof parameters

/** The parameters of one action, as a saved workflow has them. */
export type Parameters<A extends ActionName> = (typeof parameters)[A]["Type"]

export const isServed = (action: string): action is ActionName => Object.hasOwn(parameters, action)

/** Actions of the language that are not served, and why. */
export const unserved: Readonly<Record<string, string>> = {
  COMPONENT_CALL: "its meaning was never published",
  APP_ACTION: "it belongs to another product"
}
