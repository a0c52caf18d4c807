/** Counts of runs as the service gives them, and forecasts of their starts, in words. */
import type { StartForecast } from "../../api/gate/ForecastJson.ts"

export interface Count {
  readonly count: number
  readonly exact: boolean
}

/** Such as `4,000`, or `10,000+` where there are more than were counted. */
export const counted = ({ count, exact }: Count): string => `${count.toLocaleString("en")}${exact ? "" : "+"}`

/** When the waiting runs of a paced workflow start, in a sentence; `null` where none waits. */
export const forecastWords = (
  { at_least, closes_at, last_start_at, unfit, waiting }: typeof StartForecast.Type,
  words: (instant: string) => string
): string | null => {
  if (waiting === 0) return null
  const all = counted({ count: waiting, exact: !at_least })
  const last =
    last_start_at === null
      ? `At this pace it is not in sight when the last of ${all} starts`
      : `At this pace ${waiting === 1 ? "the waiting run" : `the last of ${all}`} starts at ${words(last_start_at)}`
  return unfit === 0 || closes_at === null
    ? last
    : `${last}; ${counted({ count: unfit, exact: !at_least })} will not fit before closing at ${words(closes_at)}`
}
