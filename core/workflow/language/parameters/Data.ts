/** The parameters of the actions that set values in the context of a run. */
import { Schema } from "effect"
import { RootModel } from "./DataModel.ts"
import * as Executions from "./Executions.ts"
import { end_here_on_dry_run, flag, optionalText, wait_time } from "./Fields.ts"
import { NetworkModel, UrlPattern } from "./Network.ts"
import { transform } from "./TransformParameters.ts"

export const data = {
  EXTRACT_DATAMODEL: Schema.Struct({
    extract_data_model: RootModel,
    ...Executions.ofData,
    selector: optionalText,
    wait_time,
    keep_html_metadata: flag,
    keep_whitespace: flag,
    wait_for_change: flag,
    selector_error_message: optionalText
  }).check(
    Schema.makeFilter((given) =>
      given.wait_for_change === true && (given.selector ?? "").trim() === ""
        ? { path: ["selector"], issue: "Expected the selector of the part that changes, as wait_for_change is true" }
        : Executions.missingForData(given)
    )
  ),
  EXTRACT_NETWORK: Schema.Struct({
    url: UrlPattern,
    extract_data_model: NetworkModel,
    selector: optionalText,
    wait_time,
    full_request: flag,
    end_here_on_dry_run,
    selector_error_message: optionalText,
    error_message: optionalText
  }),
  CAPTCHA: Schema.Struct({
    captcha_type: Schema.Literals(["turnstile", "recaptcha_v2", "hcaptcha"]),
    wait_time,
    error_message: optionalText
  }),
  ...transform
} as const
