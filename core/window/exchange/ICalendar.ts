/**
 * Windows as iCalendar (RFC 5545), for calendars of people: weekly hours, special hours and closings as events.
 *
 * **Example** (To a calendar and back)
 *
 * ```ts
 * import { Result } from "effect"
 * import * as RunWindow from "@sluice/core/window"
 * import * as ICalendar from "@sluice/core/window/icalendar"
 *
 * const { window } = Result.getOrThrow(RunWindow.validate({
 *   time_zone: "Europe/Berlin",
 *   regular_hours: [{ active_start_day: "MONDAY", active_start_time: { hours: 22 },
 *     active_end_day: "TUESDAY", active_end_time: { hours: 6 } }]
 * }))
 * const back = Result.getOrThrow(ICalendar.read(ICalendar.write(window)))
 *
 * back.regular_hours[0]?.active_end_day // => "TUESDAY"
 * ```
 */

import { Result } from "effect"
import * as CivilDate from "../calendar/CivilDate.ts"
import * as RecurrenceRule from "../calendar/RecurrenceRule.ts"
import * as Zone from "../calendar/Zone.ts"
import * as DayPlan from "../DayPlan.ts"
import { Day, type SpecialHours, type Time, type ValidRunWindow } from "../Definition.ts"
import * as CalendarReader from "./CalendarReader.ts"
import { kindName, withoutDate } from "./CalendarText.ts"

/** Schema of a part of a calendar that a window cannot say, and the line at which it begins, from 1. */
export const CalendarProblem = CalendarReader.CalendarProblem
export type CalendarProblem = CalendarReader.CalendarProblem

/** The failure of `read`: every problem at its line. */
export const InvalidCalendar = CalendarReader.InvalidCalendar
export type InvalidCalendar = CalendarReader.InvalidCalendar

/** From when on a window is to be right that is read from a calendar. */
export type ReadOptions = CalendarReader.ReadOptions

/** A window, and the events that it leaves out, each at its line. */
export type PartOfCalendar = CalendarReader.PartOfCalendar

/**
 * The window as a calendar. Times name their zone and bring no definition of it: calendars take it from the IANA database
 * (RFC 7809). Each event has a kind (`X-SLUICE-KIND`), by which `read` finds the same window again. Other programs see
 * weekly hours also on the dates of special hours, which take their place in a window.
 */
export const write = (window: ValidRunWindow): string => {
  const regular = window.regular_hours.map((period, index) => {
    const first = monday + Day.literals.indexOf(period.active_start_day)
    const overnight = period.active_end_day === period.active_start_day ? 0 : 1
    return event("regular", index, "Open", [
      start(window, first, period.active_start_time),
      end(window, first + overnight, period.active_end_time),
      `RRULE:FREQ=WEEKLY;BYDAY=${weekdayNames[Day.literals.indexOf(period.active_start_day)]}`
    ])
  })
  const special = (window.special_hours ?? []).flatMap((entry, index) => {
    const times = specialTimes(window, entry)
    const kind = entry.start_date === undefined ? "recurring" : "dated"
    if (times === null) return [[`${withoutDate}:${JSON.stringify(entry)}`]]
    return [event(kind, index, entry.label ?? (entry.active ? "Open" : "Closed"), times)]
  })
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Sluice//Run window//EN", `X-WR-TIMEZONE:${window.time_zone}`],
    ...[...regular, ...special].flat(),
    "END:VCALENDAR"
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join("")
}

/** Monday, 1 January 2024. */
const monday = CivilDate.fromYmd(2024, 1, 1)

const weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

const event = (kind: string, index: number, summary: string, times: ReadonlyArray<string>): ReadonlyArray<string> => [
  "BEGIN:VEVENT",
  `UID:${kind}-${index}@run-window.sluice`,
  "DTSTAMP:19700101T000000Z",
  ...times,
  `SUMMARY:${summary.replace(/[\\;,]/g, "\\$&").replace(/\r\n|\r|\n/g, "\\n")}`,
  `${kindName}:${kind}`,
  "END:VEVENT"
]

/** The times of a special entry; `null` for a rule that has no date. */
const specialTimes = (window: ValidRunWindow, entry: SpecialHours): ReadonlyArray<string> | null => {
  const { active, active_end_time = midnight, active_start_time = midnight } = entry
  const first = entry.start_date === undefined ? firstOf(entry) : DayPlan.epochDay(entry.start_date)
  if (first === null) return null
  const last = entry.start_date === undefined ? first : DayPlan.epochDay(entry.end_date ?? entry.start_date)
  const rule =
    entry.recurrence === undefined
      ? active && last > first
        ? [`RRULE:FREQ=DAILY;COUNT=${last - first + 1}`]
        : []
      : [`RRULE:${ruleOf(window, entry.recurrence, active ? active_start_time : null)}`]
  return active
    ? [start(window, first, active_start_time), end(window, first, active_end_time), ...rule]
    : [`DTSTART;VALUE=DATE:${dateText(first)}`, `DTEND;VALUE=DATE:${dateText(last + 1)}`, ...rule]
}

const midnight: Time = { hours: 0 }

/** How far a rule is followed to its first date. */
const mostDays = 400 * 366

/** The first date of a recurring entry, at which its event begins; `null` for a rule without a date. */
const firstOf = (entry: SpecialHours): CivilDate.EpochDay | null => {
  const series = DayPlan.seriesOf(entry)
  if (series === null) return null
  let date = CivilDate.parts(series.start)
  for (let days = 0; days < mostDays; days++) {
    if (series.has(date)) return date.day
    date = CivilDate.following(date)
  }
  return null
}

/** The rule of an event: its last date as the type of its start demands. */
const ruleOf = (window: ValidRunWindow, recurrence: string, at: Time | null): string => {
  const text = recurrence.toUpperCase().replace(/^RRULE:/, "")
  const { until } = Result.getOrThrow(RecurrenceRule.parse(text))
  if (until === null) return text
  const written = at === null ? dateText(until) : `${utcText(instantOf(window.time_zone, until, at))}`
  return text.replace(/UNTIL=[^;]*/, `UNTIL=${written}`)
}

const instantOf = (zone: string, day: CivilDate.EpochDay, at: Time): number => {
  const local = day * DayPlan.dayMillis + minuteOf(at) * 60_000
  const { segmentAt } = Zone.get(zone)
  const near = local - segmentAt(local).offset
  return local - segmentAt(near).offset
}

const start = ({ time_zone }: ValidRunWindow, day: CivilDate.EpochDay, at: Time) =>
  `DTSTART;TZID=${time_zone}:${dateText(day)}T${timeText(at)}`

const end = ({ time_zone }: ValidRunWindow, day: CivilDate.EpochDay, at: Time) =>
  `DTEND;TZID=${time_zone}:${dateText(day)}T${timeText(at)}`

const digits = (value: number, length = 2): string => String(value).padStart(length, "0")

const dateText = (day: CivilDate.EpochDay): string => {
  const { dayOfMonth, month, year } = CivilDate.parts(day)
  return `${digits(year, 4)}${digits(month)}${digits(dayOfMonth)}`
}

const timeText = ({ hours, minutes = 0 }: Time): string => `${digits(hours)}${digits(minutes)}00`

const utcText = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "")

const minuteOf = ({ hours, minutes = 0 }: Time): number => hours * 60 + minutes

/** A line in pieces of at most 75 octets, each but the first after a space (RFC 5545, section 3.1). */
const folded = (line: string): string => {
  let [text, octets] = ["", 0]
  for (const character of line) {
    const size = new TextEncoder().encode(character).length
    if (octets + size > 75) {
      text += "\r\n "
      octets = 1
    }
    text += character
    octets += size
  }
  return text
}

/**
 * Reads a calendar as a window. Every event that a window cannot say is refused, with its line.
 *
 * **Details**
 *
 * Times are in the zone in which most events recur; single events of other zones are converted to it. Zones may be named as
 * Windows, Outlook and libical do. An event that recurs weekly on certain weekdays, and without end, is weekly hours; any
 * other event with times is special hours; an event of whole days closes its dates. Events add up: special hours are
 * completed by the other hours of their dates. Dates that are excepted, moved or called off (`EXDATE`, `RECURRENCE-ID`,
 * `STATUS:CANCELLED`) have special entries of their own. `X-SLUICE-KIND` says otherwise. Tasks, alarms and properties for
 * people are passed over. Labels are cut at 256 characters. Refused are seconds, special hours that touch midnight, events
 * that recur in another zone, and rules that a window does not have.
 */
export const read = (text: string, options: ReadOptions = {}): Result.Result<ValidRunWindow, InvalidCalendar> =>
  Result.map(CalendarReader.readPart(text, options, false), ({ window }) => window)

/**
 * Reads what a window can say of a calendar, and names each event that it leaves out. It fails only where the text is no
 * calendar, or no event is left that names a zone.
 */
export const readPart = (text: string, options: ReadOptions = {}): Result.Result<PartOfCalendar, InvalidCalendar> =>
  CalendarReader.readPart(text, options, true)
