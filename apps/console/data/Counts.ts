/** Counts of runs and forecasts of their starts, in words. */
import type { StartForecast } from "../../api/gate/ForecastJson.ts"

export interface Count {
  readonly count: number
  readonly exact: boolean
}

/** Such as `4,000`, or `10,000+` for a lower bound. */
export const counted = ({ count, exact }: Count): string => `${count.toLocaleString("en")}${exact ? "" : "+"}`

/** How many waiting runs may start when a pause or a closed window ends. */
export const resumedWords = (runs: number): string =>
  runs === 0 ? "No run was waiting for that" : `${runs} waiting ${runs === 1 ? "run" : "runs"} may start now`

/** The limit that decides when the last run starts, as the beginning of a sentence. */
const givenBy = ({ limited_by, workers }: typeof StartForecast.Type): string => {
  if (limited_by === null) return ""
  if (limited_by !== "workers" || workers === null) return "At this pace "
  return workers.capacity === 0
    ? "Without a worker "
    : `With the workers' ${workers.capacity} ${workers.capacity === 1 ? "place" : "places"} `
}

const durationUnknown = "It can be later: no run has succeeded yet, so the forecast does not know how long runs take"

/** When the waiting runs of a workflow start, in one or two sentences; `null` when none waits. */
export const forecastWords = (
  forecast: typeof StartForecast.Type,
  words: (instant: string) => string
): string | null => {
  const { at_least, closes_at, expiring, first_expires_at, last_start_at, mean_duration_ms, unfit } = forecast
  if (forecast.waiting === 0) return null
  const waiting = forecast.waiting - expiring
  const firstEnd = first_expires_at === null ? "" : words(first_expires_at)
  if (waiting === 0) {
    return expiring === 1
      ? `The waiting run ends at ${firstEnd} without a start`
      : `All ${counted({ count: expiring, exact: true })} end without a start, the first at ${firstEnd}`
  }
  const all = counted({ count: waiting, exact: !at_least })
  const sentence =
    last_start_at === null
      ? `${givenBy(forecast)}it is not in sight when the last of ${all} starts`
      : `${givenBy(forecast)}${waiting === 1 ? "the waiting run" : `the last of ${all}`} starts at ${words(last_start_at)}`
  const last = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  const unfits =
    unfit === 0 || closes_at === null
      ? ""
      : `; ${counted({ count: unfit, exact: !at_least })} will not fit before closing at ${words(closes_at)}`
  const ends = expiring === 0 ? "" : `; ${expiring} more end without a start, the first at ${firstEnd}`
  const unknown = mean_duration_ms === null && last_start_at !== null ? `. ${durationUnknown}` : ""
  return `${last}${unfits}${ends}${unknown}`
}
