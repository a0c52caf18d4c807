/**
 * Run windows in the plainest words there are: `Temporal` for every question, no merging, no tables, no look-ahead. Slow,
 * and easy to read against the specification.
 */
import { Temporal } from "@js-temporal/polyfill"
import type { RunWindow } from "../../core/window/RunWindow.ts"

type Entry = NonNullable<RunWindow["special_hours"]>[number]
type CalendarDate = { readonly year: number; readonly month: number; readonly day: number }
type Time = { readonly hours: number; readonly minutes?: number }

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

export const isOpen = (window: RunWindow, at: number): boolean => {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(window.time_zone)
  const date = local.toPlainDate()
  const time = local.hour * 3_600_000 + local.minute * 60_000 + local.second * 1_000 + local.millisecond
  const special = rulingOf(window, date)
  if (special !== null) {
    if (special.some((entry) => !entry.active)) return false
    return special.some((entry) => time >= millis(entry.active_start_time) && time < millis(entry.active_end_time))
  }
  const before = date.subtract({ days: 1 })
  return (
    window.regular_hours.some((period) => {
      const overnight = period.active_start_day !== period.active_end_day
      const [start, end] = [millis(period.active_start_time), millis(period.active_end_time)]
      if (period.active_start_day === days[date.dayOfWeek - 1]) {
        return time >= start && (overnight || time < end)
      }
      return false
    }) ||
    window.regular_hours.some((period) => {
      const overnight = period.active_start_day !== period.active_end_day
      return (
        overnight &&
        period.active_start_day === days[before.dayOfWeek - 1] &&
        rulingOf(window, before) === null &&
        time < millis(period.active_end_time)
      )
    })
  )
}

/** The special entries that rule a date, or `null`. */
const rulingOf = (window: RunWindow, date: Temporal.PlainDate): ReadonlyArray<Entry> | null => {
  const entries = window.special_hours ?? []
  const dated = entries.filter(
    (entry) =>
      entry.start_date !== undefined &&
      Temporal.PlainDate.compare(plain(entry.start_date), date) <= 0 &&
      Temporal.PlainDate.compare(date, plain(entry.end_date ?? entry.start_date)) <= 0
  )
  if (dated.length > 0) return dated
  const recurring = entries.filter((entry) => entry.recurrence !== undefined && recurs(entry, date))
  return recurring.length > 0 ? recurring : null
}

/** Only the rules that the test kit generates, each in its own words. */
const recurs = (entry: Entry, date: Temporal.PlainDate): boolean => {
  if (entry.recurrence_start === undefined) return false
  const start = plain(entry.recurrence_start)
  const since = start.until(date).days
  if (since < 0) return false
  const weekday = date.dayOfWeek
  switch (entry.recurrence) {
    case "FREQ=DAILY":
      return true
    case "FREQ=DAILY;INTERVAL=3":
      return since % 3 === 0
    case "FREQ=DAILY;COUNT=10":
      return since < 10
    case "FREQ=WEEKLY;BYDAY=MO,FR":
      return weekday === 1 || weekday === 5
    case "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU": {
      const sunday = start.subtract({ days: start.dayOfWeek % 7 })
      return weekday === 7 && (sunday.until(date).days / 7) % 2 === 0
    }
    case "FREQ=MONTHLY;BYMONTHDAY=1,-1":
      return date.day === 1 || date.day === date.daysInMonth
    case "FREQ=MONTHLY;BYDAY=2TU,-1FR":
      return (weekday === 2 && Math.ceil(date.day / 7) === 2) || (weekday === 5 && date.day + 7 > date.daysInMonth)
    case "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1": {
      let last = date.with({ day: date.daysInMonth })
      while (last.dayOfWeek > 5) last = last.subtract({ days: 1 })
      return last.equals(date)
    }
    case "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25":
      return date.month === 12 && date.day === 25
    case "FREQ=YEARLY;BYWEEKNO=53":
      return date.weekOfYear === 53 && weekday === start.dayOfWeek
    case "FREQ=YEARLY;BYYEARDAY=-1":
      return date.dayOfYear === date.daysInYear
    default:
      throw new Error(`The slow reference does not know ${entry.recurrence}`)
  }
}

const plain = (date: CalendarDate) => Temporal.PlainDate.from(date)

const millis = (time: Time | undefined): number => ((time?.hours ?? 0) * 60 + (time?.minutes ?? 0)) * 60_000
