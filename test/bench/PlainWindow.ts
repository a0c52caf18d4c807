/**
 * Run windows as one would write them in an afternoon: `Temporal` for local time, `rrule` for recurrences, and a walk from
 * edge to edge for the next opening.
 */
import { Temporal } from "@js-temporal/polyfill"
import rrule from "rrule"
import type { RunWindow } from "../../core/window/RunWindow.ts"

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

type Time = { readonly hours: number; readonly minutes?: number }
type CalendarDate = { readonly year: number; readonly month: number; readonly day: number }

export const make = (window: RunWindow) => {
  const utc = ({ day, month, year }: CalendarDate) => new Date(Date.UTC(year, month - 1, day))
  const recurring = (window.special_hours ?? []).map((entry) =>
    entry.recurrence === undefined || entry.recurrence_start === undefined
      ? null
      : new rrule.RRule({ ...rrule.RRule.parseString(entry.recurrence), dtstart: utc(entry.recurrence_start) })
  )
  const at = (date: Temporal.PlainDate, time: Time) =>
    date.toZonedDateTime({
      timeZone: window.time_zone,
      plainTime: Temporal.PlainTime.from({ hour: time.hours, minute: time.minutes ?? 0 })
    }).epochMilliseconds

  const hoursOf = (date: Temporal.PlainDate): ReadonlyArray<readonly [number, number]> => {
    const day = new Date(Date.UTC(date.year, date.month - 1, date.day))
    const entries = (window.special_hours ?? []).filter((entry, index) =>
      entry.start_date !== undefined
        ? day >= utc(entry.start_date) && day <= utc(entry.end_date ?? entry.start_date)
        : (recurring[index]?.between(day, day, true).length ?? 0) > 0
    )
    if (entries.some((entry) => !entry.active)) return []
    if (entries.length > 0) {
      return entries.map((entry) => [
        at(date, entry.active_start_time ?? { hours: 0 }),
        at(date, entry.active_end_time ?? { hours: 0 })
      ])
    }
    return window.regular_hours
      .filter((period) => period.active_start_day === days[date.dayOfWeek - 1])
      .map((period) => [
        at(date, period.active_start_time),
        at(period.active_start_day === period.active_end_day ? date : date.add({ days: 1 }), period.active_end_time)
      ])
  }

  const state = (now: number) => {
    const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(window.time_zone).toPlainDate()
    for (let offset = -1; offset < 400; offset++) {
      for (const [start, end] of [...hoursOf(today.add({ days: offset }))].sort((a, b) => a[0] - b[0])) {
        if (now >= start && now < end) return { open: true, nextOpenAt: null }
        if (start > now) return { open: false, nextOpenAt: start }
      }
    }
    return { open: false, nextOpenAt: null }
  }
  return { state }
}
