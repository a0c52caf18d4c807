/** When the waiting runs of a paced workflow start, in a sentence. A function of its arguments. */
import type { StartForecast } from "../../../api/gate/ForecastJson.ts"
import { counted, local } from "./Table.ts"

export const sentence = (forecast: typeof StartForecast.Type, zone: string): string => {
  const { at_least, closes_at, last_start_at, unfit, waiting } = forecast
  const more = at_least ? "at least " : ""
  const last =
    last_start_at === null
      ? `when the last of ${more}${counted(waiting, "waiting run")} starts is not in sight`
      : `the last of ${more}${counted(waiting, "waiting run")} starts at about ${local(last_start_at, zone)}`
  return unfit === 0 || closes_at === null
    ? last
    : `${last}; ${more}${unfit} will not fit before closing at ${local(closes_at, zone)}`
}
