/**
 * Properties of a valid window that its author may not have meant.
 */
import * as CivilDate from "./calendar/CivilDate.ts"
import * as DayPlan from "./DayPlan.ts"
import type { RunWindowIssue, SpecialHours, ValidRunWindow } from "./Definition.ts"
import { horizonMillis } from "./Definition.ts"
import * as Schedule from "./Schedule.ts"

/**
 * Warnings that hold at any time: a start that its own rule does not produce, an `UNTIL` whose time does not count, and a
 * rule that is read as fewer or more dates than its author may mean.
 */
export const lasting = (window: ValidRunWindow): ReadonlyArray<RunWindowIssue> =>
  (window.special_hours ?? []).flatMap((entry, index) => {
    const series = DayPlan.seriesOf(entry)
    const start = series !== null && !series.has(CivilDate.parts(series.start))
    const [, date, time] = /UNTIL=(\d{8})(T\d{6}Z?)/i.exec(entry.recurrence ?? "") ?? []
    const monthly = everyMonth(entry.recurrence ?? "")
    return [
      ...(start
        ? [
            {
              path: `special_hours[${index}].recurrence_start`,
              message: "The rule does not produce this date: it only is the earliest day on which the series may start"
            }
          ]
        : []),
      ...(time === undefined
        ? []
        : [
            {
              path: `special_hours[${index}].recurrence`,
              message: `UNTIL counts as the date ${date}, included, in the time zone of the window: its time ${time} is ignored`
            }
          ]),
      ...(monthly === null ? [] : [{ path: `special_hours[${index}].recurrence`, message: monthly }])
    ]
  })

/** The warning of a yearly rule with days of the month in every month; `null` for another rule. */
export const everyMonth = (recurrence: string): string | null => {
  const parts = recurrence
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .split(";")
  const named = (name: string) => parts.some((part) => part.startsWith(`${name}=`))
  const others = ["BYMONTH", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "BYDAY"]
  return parts.includes("FREQ=YEARLY") && named("BYMONTHDAY") && !others.some(named)
    ? "FREQ=YEARLY with BYMONTHDAY is these days of every month: add BYMONTH for one month"
    : null
}

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

/** Whether a part is of a period that goes on over midnight: its other part exists. */
const isOfNight = (
  schedule: Schedule.Schedule,
  day: CivilDate.EpochDay,
  { end, path, start }: DayPlan.Part
): boolean => {
  const goesOn = (other: CivilDate.EpochDay, touches: (part: DayPlan.Part) => boolean) =>
    schedule.plans.ruling(other).parts.some((part) => part.path === path && touches(part))
  return (
    (start === 0 && goesOn(day - 1, (part) => part.end === DayPlan.dayMillis)) ||
    (end === DayPlan.dayMillis && goesOn(day + 1, (part) => part.start === 0))
  )
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
        if (isOfNight(schedule, day, part)) continue
        const date = CivilDate.parts(day)
        const on = `${date.year}-${String(date.month).padStart(2, "0")}-${String(date.dayOfMonth).padStart(2, "0")}`
        found.set(part.path, { path: part.path, message: `These hours do not exist on ${on}, when clocks go forward` })
      }
    }
    segment = next
  }
  return [...found.values()]
}
