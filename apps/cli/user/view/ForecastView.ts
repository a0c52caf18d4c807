/** When the waiting runs of a workflow start, in a sentence. A function of its arguments. */
import type { StartForecast } from "../../../api/gate/ForecastJson.ts"
import { counted, local } from "./Table.ts"

export const sentence = (forecast: typeof StartForecast.Type, zone: string): string => {
  const { at_least, closes_at, expiring, first_expires_at, last_start_at, unfit } = forecast
  const waiting = forecast.waiting - expiring
  const ends =
    expiring === 0 || first_expires_at === null
      ? ""
      : `${counted(expiring, "waiting run")} cannot start by ${expiring === 1 ? "its deadline, and ends" : "their deadline, the first of them ends"} at ${local(first_expires_at, zone)}`
  if (waiting === 0 && ends !== "") return ends
  const more = at_least ? "at least " : ""
  const last =
    last_start_at === null
      ? `when the last of ${more}${counted(waiting, "waiting run")} starts is not in sight`
      : `the last of ${more}${counted(waiting, "waiting run")} starts at about ${local(last_start_at, zone)}`
  const unfits =
    unfit === 0 || closes_at === null
      ? ""
      : `; ${more}${unfit} will not fit before closing at ${local(closes_at, zone)}`
  return `${last}${unfits}${ends === "" ? "" : `; ${ends}`} (${because(forecast)})`
}

/** What decides the last start, which workers it counts on, and whether it knows how long runs take. */
const because = ({ last_start_at, limited_by, mean_duration_ms, workers }: typeof StartForecast.Type): string => {
  const limit = limited_by === null ? "" : `limited by ${limited_by === "workers" ? "the workers" : limited_by}; `
  const places =
    workers === null
      ? "how many workers there are is not known"
      : `${workers.running} of ${workers.capacity} places of the workers are taken`
  const unknown = "no run has succeeded yet, so how long runs take is not counted: it can be later"
  return `${limit}${places}${mean_duration_ms === null && last_start_at !== null ? `; ${unknown}` : ""}`
}
