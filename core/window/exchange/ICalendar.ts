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

import { Result, Schema } from "effect"
import * as CivilDate from "../calendar/CivilDate.ts"
import * as RecurrenceRule from "../calendar/RecurrenceRule.ts"
import * as Zone from "../calendar/Zone.ts"
import * as DayPlan from "../DayPlan.ts"
import { type CalendarDate, Day, type SpecialHours, type Time, type ValidRunWindow } from "../Definition.ts"
import * as TextLength from "../TextLength.ts"
import * as Validation from "../Validation.ts"

/** A part of a calendar that a window cannot say, and the line at which it begins, from 1. */
export const CalendarProblem = Schema.Struct({ line: Schema.Int, message: Schema.String })
export type CalendarProblem = typeof CalendarProblem.Type

/** The failure of `read`: every problem at its line. */
export class InvalidCalendar extends Schema.TaggedError<InvalidCalendar>()("InvalidCalendar", {
  problems: Schema.Array(CalendarProblem)
}) {
  override get message() {
    const [first, ...others] = this.problems
    const more = others.length === 0 ? "" : `, and ${others.length} more`
    return `The calendar is not a run window: line ${first?.line ?? 1}: ${first?.message ?? ""}${more}`
  }
}

const kindName = "X-SLUICE-KIND"

/** A special entry whose rule has no date, and so no event. */
const withoutDate = "X-SLUICE-WITHOUT-DATE"

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

interface Property {
  readonly line: number
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
  readonly value: string
}

/** The longest calendar that is read, in characters. */
const mostCharacters = 1_000_000

/**
 * Reads a calendar as a window. Every part that a window cannot say is refused, with its line.
 *
 * **Details**
 *
 * All times must be in one zone. An event that recurs weekly on certain weekdays, and without end, is weekly hours; any
 * other event with times is special hours; an event of whole days closes its dates. `X-SLUICE-KIND` says otherwise.
 * Exceptions to a rule (`EXDATE`, `RDATE`, `RECURRENCE-ID`) cannot be said, nor can times with seconds. Properties for
 * people, alarms and definitions of zones are passed over.
 */
export const read = (text: string): Result.Result<ValidRunWindow, InvalidCalendar> => {
  const problems: Array<CalendarProblem> = []
  const note = (line: number, message: string) => void problems.push({ line, message })
  if (!TextLength.fits(text, mostCharacters)) {
    note(1, `Expected at most ${mostCharacters} characters, got ${TextLength.of(text)}`)
    return Result.fail(new InvalidCalendar({ problems }))
  }
  const { entries, events, zone } = eventsOf(text, note)
  const zones = new Set(zone === null ? [] : [zone])
  const regular: Array<{ readonly line: number; readonly hours: unknown }> = []
  const special: Array<{ readonly line: number; readonly hours: unknown }> = []
  for (const { line, properties } of events) {
    const found = readEvent(line, properties, zone, note)
    if (found === null) continue
    if (found.zone !== null) zones.add(found.zone)
    for (const hours of found.regular) regular.push({ line, hours })
    for (const hours of found.special) special.push({ line, hours })
  }
  special.push(...entries)
  const [time_zone, ...others] = zones
  if (others.length > 0) note(1, `Expected all times in one zone, got ${[...zones].join(", ")}`)
  if (time_zone === undefined && problems.length === 0) note(1, "Expected an event with times in a zone, got none")
  if (problems.length > 0) return Result.fail(new InvalidCalendar({ problems }))
  const checked = Validation.read({
    time_zone,
    regular_hours: regular.map(({ hours }) => hours),
    ...(special.length === 0 ? {} : { special_hours: special.map(({ hours }) => hours) })
  })
  return Result.mapError(checked, ({ issues }) => {
    const lineOf = (path: string) => {
      const [, list, index] = /^(regular|special)_hours\[(\d+)\]/.exec(path) ?? []
      return (list === "regular" ? regular : special)[Number(index)]?.line ?? 1
    }
    return new InvalidCalendar({ problems: issues.map(({ message, path }) => ({ line: lineOf(path), message })) })
  })
}

type Note = (line: number, message: string) => void

interface Found {
  readonly line: number
  readonly properties: ReadonlyArray<Property>
}

/** The events of a calendar, each with the line at which it begins, and the zone that the calendar names. */
const eventsOf = (
  text: string,
  note: Note
): {
  readonly entries: ReadonlyArray<{ readonly line: number; readonly hours: unknown }>
  readonly events: ReadonlyArray<Found>
  readonly zone: string | null
} => {
  const entries: Array<{ readonly line: number; readonly hours: unknown }> = []
  const events: Array<{ readonly line: number; readonly properties: Array<Property> }> = []
  const open: Array<string> = []
  let zone: string | null = null
  for (const property of propertiesOf(text, note)) {
    const { line, name, value } = property
    if (name === "BEGIN") {
      const component = value.toUpperCase()
      if (open.length === 1 && component === "VEVENT") events.push({ line, properties: [] })
      else if (open.length === 1 && component !== "VTIMEZONE") note(line, `A run window has no ${component}`)
      if (open.length === 0 && component !== "VCALENDAR") note(line, `Expected BEGIN:VCALENDAR, got BEGIN:${component}`)
      open.push(component)
    } else if (name === "END") {
      if (open.pop() !== value.toUpperCase()) note(line, `END:${value} ends nothing that is open`)
    } else if (open.length === 0) {
      note(line, `Expected BEGIN:VCALENDAR, got ${name}`)
      break
    } else if (open.length === 1 && name === "X-WR-TIMEZONE") zone = value
    else if (open.length === 1 && name === withoutDate) entries.push({ line, hours: jsonOf(value) })
    else if (open.length === 2 && open[1] === "VEVENT") events.at(-1)?.properties.push(property)
  }
  if (open.length > 0) note(text.split(/\r?\n/).length, `Expected END:${open.at(-1)}, got the end of the calendar`)
  return { entries, events, zone }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const propertiesOf = (text: string, note: Note): ReadonlyArray<Property> => {
  const lines: Array<{ readonly line: number; text: string }> = []
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    const last = lines.at(-1)
    if (/^[ \t]/.test(written) && last !== undefined) last.text += written.slice(1)
    else if (written !== "") lines.push({ line: index + 1, text: written })
  }
  return lines.flatMap(({ line, text: content }): ReadonlyArray<Property> => {
    const found = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:]*))*):(.*)$/s.exec(content)
    if (found === null) {
      note(line, `Expected NAME:VALUE, got ${JSON.stringify(content.slice(0, 40))}`)
      return []
    }
    const [, name = "", parameters = "", value = ""] = found
    const pairs = [...parameters.matchAll(/;([A-Za-z0-9-]+)=(?:"([^"]*)"|([^";:]*))/g)]
    return [
      {
        line,
        name: name.toUpperCase(),
        parameters: Object.fromEntries(
          pairs.map(([, key = "", quoted, plain]) => [key.toUpperCase(), quoted ?? plain ?? ""])
        ),
        value
      }
    ]
  })
}

/** A date, with a time of day unless it is a whole day. */
interface Moment {
  readonly day: CivilDate.EpochDay
  readonly time: Time | null
  readonly zone: string | null
}

const unsayable = new Set(["EXDATE", "RDATE", "EXRULE", "RECURRENCE-ID"])

const readEvent = (line: number, properties: ReadonlyArray<Property>, zone: string | null, note: Note) => {
  const named = (name: string) => properties.find((property) => property.name === name)
  const refused = properties.filter(({ name }) => unsayable.has(name))
  for (const property of refused) {
    note(property.line, `A run window cannot say ${property.name}: use a separate special entry for those dates`)
  }
  const [first, last, rule] = [named("DTSTART"), named("DTEND"), named("RRULE")]
  const second = properties.filter(({ name }) => name === "RRULE")[1]
  if (second !== undefined) note(second.line, "Expected one RRULE, got another one")
  if (first === undefined) note(line, "Expected DTSTART, got none")
  const begin = first === undefined ? null : momentOf(first, zone, note)
  const finish = last === undefined ? null : momentOf(last, zone, note)
  const duration = named("DURATION")
  if (duration !== undefined) note(duration.line, "Expected DTEND, got DURATION")
  if (first === undefined || begin === null || refused.length > 0 || duration !== undefined) return null
  if (last !== undefined && finish === null) return null
  const kind = named(kindName)?.value ?? null
  const label = labelOf(named("SUMMARY")?.value, begin.time !== null)
  const shared = { ...label, ...datesOf(begin, finish, rule, kind) }
  const none: ReadonlyArray<object> = []
  if (begin.time === null && !areWholeDays(begin, finish, last, rule, note)) return null
  if (begin.time === null) return { zone: null, regular: none, special: [{ active: false, ...shared }] }
  if (last === undefined || finish === null || finish.time === null) {
    note(last?.line ?? line, "Expected DTEND with a time, got none")
    return null
  }
  if (finish.zone !== begin.zone) {
    note(last.line, `Expected DTEND in the zone ${begin.zone} of DTSTART, got ${finish.zone}`)
    return null
  }
  const weekdays = kind === null || kind === "regular" ? weeklyOn(rule?.value ?? "", begin.day) : null
  if (weekdays !== null) {
    const days = finish.day - begin.day
    const regular = weekdays.map((weekday) => ({
      active_start_day: Day.literals[weekday],
      active_start_time: begin.time,
      active_end_day: Day.literals[(weekday + days) % 7],
      active_end_time: finish.time
    }))
    if (days > 1) note(last.line, "Expected an end on the same or the following day: a period spans at most one night")
    return { zone: begin.zone, regular, special: none }
  }
  if (finish.day !== begin.day) {
    note(last.line, "Expected an end on the same day: special hours end before midnight")
    return null
  }
  const hours = { active: true, active_start_time: begin.time, active_end_time: finish.time }
  return { zone: begin.zone, regular: none, special: [{ ...hours, ...shared }] }
}

/** Whether an event of whole days ends on a later date, and is of one day if it recurs: each date of a rule is one day. */
const areWholeDays = (
  begin: Moment,
  finish: Moment | null,
  last: Property | undefined,
  rule: Property | undefined,
  note: Note
): boolean => {
  if (finish === null || last === undefined) return true
  const days = finish.day - begin.day
  if (finish.time !== null || days < 1) {
    note(last.line, `Expected DTEND with a date after that of DTSTART, got ${JSON.stringify(last.value)}`)
    return false
  }
  if (days === 1 || rule === undefined) return true
  note(
    last.line,
    `Expected DTEND on the following day, as the event recurs, got ${days} days: use one event for each day`
  )
  return false
}

const labelOf = (summary: string | undefined, active: boolean) => {
  const text = summary?.replace(/\\([nN,;\\])/g, (_, character: string) => (/n/i.test(character) ? "\n" : character))
  return text === undefined || text === "" || text === (active ? "Open" : "Closed") ? {} : { label: text }
}

/** The dates of a special entry. A dated entry of several days is written as a rule that counts them. */
const datesOf = (begin: Moment, finish: Moment | null, rule: Property | undefined, kind: string | null) => {
  const first = calendarDate(begin.day)
  const counted = begin.time === null ? null : /^FREQ=DAILY;COUNT=(\d+)$/i.exec(rule?.value ?? "")
  if (rule === undefined || (kind === "dated" && counted !== null)) {
    const days =
      begin.time === null ? Math.max(1, (finish?.day ?? begin.day + 1) - begin.day) : Number(counted?.[1] ?? 1)
    return { start_date: first, ...(days > 1 ? { end_date: calendarDate(begin.day + days - 1) } : {}) }
  }
  return { recurrence: withLocalUntil(rule.value, begin), recurrence_start: first }
}

/** An UNTIL in UTC as the last local date on which the event begins by then. */
const withLocalUntil = (rule: string, { time, zone }: Moment): string =>
  rule.replace(/UNTIL=(\d{8})T(\d{2})(\d{2})(\d{2})Z/i, (written, date: string, hours, minutes, seconds) => {
    if (time === null || zone === null || !Zone.isKnown(zone)) return written
    const at =
      epochDayOf(date) * DayPlan.dayMillis + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
    const local = at + Zone.get(zone).segmentAt(at).offset
    const day = Math.floor(local / DayPlan.dayMillis)
    const isBefore = local - day * DayPlan.dayMillis < minuteOf(time) * 60_000
    return `UNTIL=${dateText(isBefore ? day - 1 : day)}`
  })

/** The weekdays of a rule that says nothing else; `null` for any other rule. */
const weeklyOn = (rule: string, day: CivilDate.EpochDay): ReadonlyArray<number> | null => {
  const parts = rule
    .toUpperCase()
    .split(";")
    .filter((part) => part !== "INTERVAL=1" && !part.startsWith("WKST="))
  if (!parts.includes("FREQ=WEEKLY")) return null
  const [other, ...others] = parts.filter((part) => part !== "FREQ=WEEKLY")
  if (others.length > 0 || (other !== undefined && !other.startsWith("BYDAY="))) return null
  if (other === undefined) return [CivilDate.weekday(day)]
  const weekdays = other
    .slice("BYDAY=".length)
    .split(",")
    .map((name) => weekdayNames.indexOf(name))
  return weekdays.includes(-1) ? null : weekdays
}

const epochDayOf = (text: string): CivilDate.EpochDay =>
  CivilDate.fromYmd(Number(text.slice(0, 4)), Number(text.slice(4, 6)), Number(text.slice(6, 8)))

const calendarDate = (epochDay: CivilDate.EpochDay): CalendarDate => {
  const { dayOfMonth, month, year } = CivilDate.parts(epochDay)
  return { year, month, day: dayOfMonth }
}

const momentOf = ({ line, name, parameters, value }: Property, zone: string | null, note: Note): Moment | null => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(value)
  const [, year, month, day, hours, minutes, seconds, utc] = found ?? []
  if (found === null || !CivilDate.exists(Number(year), Number(month), Number(day))) {
    note(
      line,
      `Expected ${name} with a date such as 20261231 or 20261231T220000, got ${JSON.stringify(value.slice(0, 40))}`
    )
    return null
  }
  const epochDay = CivilDate.fromYmd(Number(year), Number(month), Number(day))
  if (hours === undefined) return { day: epochDay, time: null, zone: null }
  if (seconds !== "00") {
    note(line, `Expected ${name} at a whole minute, got ${value.slice(9, 15)}`)
    return null
  }
  const own = utc === "Z" ? "UTC" : (parameters.TZID ?? zone)
  if (own === null) {
    note(line, `Expected ${name} with TZID, got a time of no zone`)
    return null
  }
  return { day: epochDay, time: { hours: Number(hours), minutes: Number(minutes) }, zone: own }
}
