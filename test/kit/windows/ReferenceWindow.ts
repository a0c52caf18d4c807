/**
 * The reference implementation of run windows, for comparison with the fast evaluator. It computes the local time by
 * the runtime for each call and expands recurrence rules date by date, without merging, tables or look-ahead. It is
 * slow, and easy to compare with the specification.
 *
 * **Example** (What another evaluator is compared with)
 *
 * ```ts
 * import * as Reference from "@sluice/testing/reference"
 *
 * const at = Date.parse("2026-01-12T12:00:00Z")
 * const open = Reference.isOpen({ time_zone: "UTC", regular_hours: [{ active_start_day: "MONDAY",
 *   active_start_time: { hours: 9 }, active_end_day: "MONDAY", active_end_time: { hours: 17 } }] }, at)
 *
 * open // => true
 * ```
 */
import { Result } from "effect"
import * as RecurrenceRule from "../../../core/window/calendar/RecurrenceRule.ts"
import type { RunWindow } from "../../../core/window/RunWindow.ts"

type Entry = NonNullable<RunWindow["special_hours"]>[number]
type CalendarDate = NonNullable<Entry["start_date"]>
type Time = NonNullable<Entry["active_start_time"]>

const dayMillis = 86_400_000
const names = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

/** Returns whether a valid window is open at an instant, in epoch milliseconds. From the year 1 on. */
export const isOpen = (window: RunWindow, at: number): boolean => {
  const local = localMillis(window.time_zone, at)
  const day = Math.floor(local / dayMillis)
  const time = local - day * dayMillis
  const special = rulingOf(window, day)
  if (special !== null) {
    if (special.some((entry) => !entry.active)) return false
    return special.some((entry) => time >= millis(entry.active_start_time) && time < millis(entry.active_end_time))
  }
  return window.regular_hours.some((period) => {
    const overnight = period.active_start_day !== period.active_end_day
    const [start, end] = [millis(period.active_start_time), millis(period.active_end_time)]
    if (period.active_start_day === weekdayName(day) && time >= start && (overnight || time < end)) return true
    return (
      overnight && period.active_start_day === weekdayName(day - 1) && rulingOf(window, day - 1) === null && time < end
    )
  })
}

/** The local time of a zone as milliseconds from the local epoch, as the runtime writes it. */
const localMillis = (zone: string, at: number): number => {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value])
  )
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
  const date = utcDay(read("year"), read("month"), read("day"))
  const seconds = read("hour") * 3_600 + read("minute") * 60 + read("second")
  return date * dayMillis + seconds * 1_000 + (((at % 1_000) + 1_000) % 1_000)
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    second: "numeric",
    ...digits
  })
  formats.set(timeZone, made)
  return made
}

/** The special entries that rule a date, or `null`. */
const rulingOf = (window: RunWindow, day: number): ReadonlyArray<Entry> | null => {
  const entries = window.special_hours ?? []
  const dated = entries.filter(
    ({ end_date, start_date }) =>
      start_date !== undefined && dayOf(start_date) <= day && day <= dayOf(end_date ?? start_date)
  )
  if (dated.length > 0) return dated
  const recurring = entries.filter((entry) => entry.recurrence !== undefined && datesOf(entry, day).has(day))
  return recurring.length > 0 ? recurring : null
}

/** How far dates are written out at once, so that neighbouring questions find them written. */
const reach = 1_000

const written = new WeakMap<Entry, { readonly upTo: number; readonly dates: ReadonlySet<number> }>()

/** The dates of a recurring entry, up to a day at least. */
const datesOf = (entry: Entry, day: number): ReadonlySet<number> => {
  const known = written.get(entry)
  if (known !== undefined && known.upTo >= day) return known.dates
  const upTo = day + reach
  const dates = writeOut(
    Result.getOrThrow(RecurrenceRule.parse(entry.recurrence ?? "")),
    entry.recurrence_start === undefined ? upTo : dayOf(entry.recurrence_start),
    upTo
  )
  written.set(entry, { upTo, dates })
  return dates
}

/** Writes out a rule, period by period from the one that holds the start. */
const writeOut = (rule: RecurrenceRule.Rule, start: number, upTo: number): ReadonlySet<number> => {
  const dates = new Set<number>()
  for (let number = 0; ; number += rule.interval) {
    const [first, last] = periodOf(rule, start, number)
    if (first > upTo) return dates
    const set: Array<number> = []
    for (let day = first; day <= last; day++) if (isIn(rule, start, day)) set.push(day)
    const chosen =
      rule.bySetPosition.length === 0
        ? set
        : set.filter((_, index) =>
            rule.bySetPosition.some((position) => (position > 0 ? position - 1 : set.length + position) === index)
          )
    for (const day of chosen) {
      if (day < start) continue
      if ((rule.until !== null && day > rule.until) || (rule.count !== null && dates.size >= rule.count)) return dates
      dates.add(day)
    }
  }
}

/** The first and last day of the period so many after the one of the start. */
const periodOf = (rule: RecurrenceRule.Rule, start: number, number: number): readonly [number, number] => {
  const { month, year } = partsOf(start)
  switch (rule.frequency) {
    case "DAILY":
      return [start + number, start + number]
    case "WEEKLY": {
      const first = start - ((weekdayOf(start) - rule.weekStart + 7) % 7) + 7 * number
      return [first, first + 6]
    }
    case "MONTHLY":
      return [utcDay(year, month + number, 1), utcDay(year, month + number + 1, 1) - 1]
    case "YEARLY":
      return [utcDay(year + number, 1, 1), utcDay(year + number + 1, 1, 1) - 1]
  }
}

/** Returns whether a day is in the set of its period. What the rule leaves out comes from the start (RFC 5545, 3.3.10). */
const isIn = (rule: RecurrenceRule.Rule, start: number, day: number): boolean => {
  const [date, first] = [partsOf(day), partsOf(start)]
  const daysInMonth = utcDay(date.year, date.month + 1, 1) - utcDay(date.year, date.month, 1)
  const newYear = utcDay(date.year, 1, 1)
  const daysInYear = utcDay(date.year + 1, 1, 1) - newYear
  const is = (numbers: ReadonlyArray<number>, place: number, length: number) =>
    numbers.some((number) => (number > 0 ? number : length + 1 + number) === place)
  const { byDay, byMonth, byMonthDay, byWeekNumber, byYearDay, frequency } = rule
  if (byMonth.length > 0 && !byMonth.includes(date.month)) return false
  if (byMonthDay.length > 0 && !is(byMonthDay, date.day, daysInMonth)) return false
  if (byYearDay.length > 0 && !is(byYearDay, day - newYear + 1, daysInYear)) return false
  if (byWeekNumber.length > 0) {
    const { week, weeks } = weekOf(day, rule.weekStart)
    if (!is(byWeekNumber, week, weeks)) return false
  }
  if (byDay.length > 0) {
    const ofYear = frequency === "YEARLY" && byMonth.length === 0
    const [place, length] = ofYear ? [day - newYear, daysInYear] : [date.day - 1, daysInMonth]
    const [before, after] = [Math.floor(place / 7), Math.floor((length - 1 - place) / 7)]
    return byDay.some(
      ({ ordinal, weekday }) =>
        weekday === weekdayOf(day) && (ordinal === null || ordinal === before + 1 || ordinal === -after - 1)
    )
  }
  if (frequency === "WEEKLY") return weekdayOf(day) === weekdayOf(start)
  if (byMonthDay.length + byYearDay.length > 0) return true
  if (byWeekNumber.length > 0) return weekdayOf(day) === weekdayOf(start)
  if (frequency === "MONTHLY") return date.day === first.day
  if (frequency === "YEARLY") return date.day === first.day && (byMonth.length > 0 || date.month === first.month)
  return true
}

/** The number of a day's week in the year that holds most of that week, and how many weeks that year has. */
const weekOf = (day: number, weekStart: number): { readonly week: number; readonly weeks: number } => {
  const firstWeek = (year: number) => {
    const fourth = utcDay(year, 1, 4)
    return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7)
  }
  const { year } = partsOf(day)
  const own = day < firstWeek(year) ? year - 1 : day >= firstWeek(year + 1) ? year + 1 : year
  return {
    week: Math.floor((day - firstWeek(own)) / 7) + 1,
    weeks: (firstWeek(own + 1) - firstWeek(own)) / 7
  }
}

const utcDay = (year: number, month: number, day: number): number => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / dayMillis
}

const partsOf = (day: number): CalendarDate => {
  const date = new Date(day * dayMillis)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

const dayOf = ({ day, month, year }: CalendarDate): number => utcDay(year, month, day)

/** Monday is 0. */
const weekdayOf = (day: number): number => (new Date(day * dayMillis).getUTCDay() + 6) % 7

const weekdayName = (day: number): string => names[weekdayOf(day)] ?? ""

const millis = (time: Time | undefined): number => ((time?.hours ?? 0) * 60 + (time?.minutes ?? 0)) * 60_000
