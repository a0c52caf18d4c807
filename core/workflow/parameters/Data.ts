/**
 * The parameters of the actions that bring values into the context of a run.
 */
import { Schema } from "effect"
import * as Executions from "./Executions.ts"
import { flag, optionalText, text, wait_time } from "./Fields.ts"

/** A data model: a JSON schema whose leaves say where their values are found. */
export interface DataModel {
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, DataModel>>
  readonly items?: DataModel
  readonly path?: string
  readonly selected?: boolean
  /** What it is, for a model. */
  readonly description?: string
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
  description: Schema.optionalKey(text),
  overwriteArrayKeys: Schema.optionalKey(Schema.Array(text))
}).annotate({ identifier: "DataModel" })

export const data = {
  EXTRACT_DATAMODEL: Schema.Struct({
    extract_data_model: DataModel,
    ...Executions.ofData,
    selector: optionalText,
    wait_time,
    keep_html_metadata: flag,
    selector_error_message: optionalText
  }).check(Schema.makeFilter((given) => Executions.missingForData(given)))
} as const
