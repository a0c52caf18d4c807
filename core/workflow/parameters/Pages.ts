/**
 * The parameters of the actions on a page as a whole: opening it, moving in it, looking at it.
 */
import { Schema } from "effect"
import { end_here_on_dry_run, filled, flag, not_repeatable, wait_time } from "./Fields.ts"

export const pages = {
  START: Schema.Struct({ url: filled }),
  NAVIGATE: Schema.Struct({ url: filled, end_here_on_dry_run, not_repeatable }),
  SCREENSHOT: Schema.Struct({
    metadata: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
    full_page: flag,
    wait_time
  })
} as const
