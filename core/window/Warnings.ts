/**
 * Properties of a valid window that its author may not have meant.
 */
import * as CivilDate from "./calendar/CivilDate.ts"
import * as DayPlan from "./DayPlan.ts"
import type { RunWindowIssue, SpecialHours, ValidRunWindow } from "./Definition.ts"
import { horizonMillis } from "./Definition.ts"
import * as Schedule from "./Schedule.ts"

/** Warnings that hold at any time: a start that its own rule does not produce. */
export const lasting = (window: ValidRunWindow): ReadonlyArray<RunWindowIssue> =>
  (window.special_hours ?? []).flatMap((entry, index) => {
    const series = DayPlan.seriesOf(entry)
    return series === null || series.has(CivilDate.parts(series.start))
      ? []
      : [
          {
            path: `special_hours[${index}].recurrence_start`,
            message: "The rule does not produce this date: it only is the earliest day on which the series may start"
          }
        ]
  })

/**
 * Warnings about the time from `now` on: a window that stays closed, entries without effect, and hours that a change of
 * clocks skips.
 */
export const upcoming = (window: ValidRunWindow, now: number): ReadonlyArray<RunWindowIssue> => {
  const schedule = Schedule.compile(window)
  const today = Schedule.localAt(schedule, now).day
  return [...shut(schedule, now), ...overOrHidden(window, schedule, today), ...skipped(schedule, now)]
}

/** A window that holds its runs for longer than anyone looks ahead. */
const shut = (schedule: Schedule.Schedule, now: number): ReadonlyArray<RunWindowIssue> =>
  Schedule.first(schedule, "open", now, now + horizonMillis) === null
    ? [{ path: "", message: "This window does not open within the next 400 days: its runs are held" }]
    : []

/** Long enough for every date there is to come round: 29 February once misses eight years. */
const dayOfEightYears = 8 * 366

const horizonDays = horizonMillis / DayPlan.dayMillis

const overOrHidden = (
  window: ValidRunWindow,
  schedule: Schedule.Schedule,
  today: CivilDate.EpochDay
): ReadonlyArray<RunWindowIssue> => {
  const counted = new Set<string>()
  for (let day = today; day <= today + horizonDays; day++) {
    const { closings, parts } = schedule.plans.ruling(day)
    for (const { path } of closings.length > 0 ? closings : parts) counted.add(path)
  }
  return (window.special_hours ?? []).flatMap((entry, index): ReadonlyArray<RunWindowIssue> => {
    const path = `special_hours[${index}]`
    if (counted.has(path)) return []
    const next = nextMatch(entry, today)
    if (next === null) return [{ path, message: "This entry matches no date in the next 8 years" }]
    return next > today + horizonDays
      ? []
      : [{ path, message: "This entry has no effect in the next 400 days: others rule all of its dates" }]
  })
}

const nextMatch = (entry: SpecialHours, today: CivilDate.EpochDay): CivilDate.EpochDay | null => {
  if (entry.start_date !== undefined) {
    const last = DayPlan.epochDay(entry.end_date ?? entry.start_date)
    return last < today ? null : Math.max(today, DayPlan.epochDay(entry.start_date))
  }
  const series = DayPlan.seriesOf(entry)
  if (series === null) return null
  const from = Math.max(today, series.start)
  let date = CivilDate.parts(from)
  while (date.day <= from + dayOfEightYears) {
    if (series.has(date)) return date.day
    date = CivilDate.following(date)
  }
  return null
}

/** Parts of a date that lie wholly in the hour that its clocks skip. */
const skipped = (schedule: Schedule.Schedule, now: number): ReadonlyArray<RunWindowIssue> => {
  const found = new Map<string, RunWindowIssue>()
  const end = now + horizonMillis
  for (let segment = schedule.zone.segmentAt(now); segment.until <= end; ) {
    const next = schedule.zone.segmentAt(segment.until)
    const [from, until] = [segment.until + segment.offset, segment.until + next.offset]
    for (let day = Math.floor(from / DayPlan.dayMillis); day * DayPlan.dayMillis < until; day++) {
      const midnight = day * DayPlan.dayMillis
      for (const part of schedule.plans.ruling(day).parts) {
        if (midnight + part.start < from || midnight + part.end > until || found.has(part.path)) continue
        const date = CivilDate.parts(day)
        const on = `${date.year}-${String(date.month).padStart(2, "0")}-${String(date.dayOfMonth).padStart(2, "0")}`
        found.set(part.path, { path: part.path, message: `These hours do not exist on ${on}, when clocks go forward` })
      }
    }
    segment = next
  }
  return [...found.values()]
}
