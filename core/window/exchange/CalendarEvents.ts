/**
 * The events of a calendar as occurrences on dates, for windows: when they begin and end, which dates they recur on, and
 * which of these were changed or called off.
 */
import * as CivilDate from "../calendar/CivilDate.ts"
import * as Zone from "../calendar/Zone.ts"
import { dayMillis } from "../DayPlan.ts"
import * as CalendarText from "./CalendarText.ts"
import * as CalendarZones from "./CalendarZones.ts"

/** A date, with minutes since midnight unless it is a whole day. A whole day has no zone. */
export interface Moment {
  readonly day: CivilDate.EpochDay
  readonly minute: number | null
  readonly zone: string | null
}

/** An event, or an occurrence of one that was moved. */
export interface Event {
  readonly line: number
  /** The line of its end. */
  readonly endLine: number
  readonly uid: string
  /** What Sluice wrote it for; `null` for events of other programs. */
  readonly kind: string | null
  readonly label: string | null
  readonly begin: Moment
  /** Minutes after the beginning; `null` where neither an end nor a duration is given. */
  readonly minutes: number | null
  readonly rule: string | null
  readonly excepted: ReadonlyArray<Moment>
  readonly added: ReadonlyArray<Moment>
  /** The occurrence that it takes the place of. */
  readonly replaces: Moment | null
  readonly isCancelled: boolean
}

type Note = (line: number, message: string) => void

/** Reads an event; `null` where a problem was noted. `calendarZone` is that of times that name none. */
export const read = (
  component: CalendarText.Component,
  calendarZone: string | null,
  zoneNamed: (name: string) => string | null,
  note: Note
): Event | null => {
  const { line, properties } = component
  let problems = 0
  const refuse: Note = (at, message) => {
    problems++
    note(at, message)
  }
  for (const problem of component.problems) refuse(problem.line, problem.message)
  const named = (name: string) => properties.find((property) => property.name === name)
  const moment = (property: CalendarText.Property, value = property.value) =>
    momentOf({ ...property, value }, calendarZone, zoneNamed, refuse)
  const moments = (name: string) =>
    properties
      .filter((property) => property.name === name)
      .flatMap((property) => property.value.split(",").flatMap((value) => moment(property, value.split("/")[0]) ?? []))
  const [first, last, duration, rule] = ["DTSTART", "DTEND", "DURATION", "RRULE"].map(named)
  const second = properties.filter(({ name }) => name === "RRULE")[1]
  if (second !== undefined) refuse(second.line, "Expected one RRULE, got another one")
  const older = named("EXRULE")
  if (older !== undefined) refuse(older.line, "EXRULE is not supported: use EXDATE for each date")
  if (first === undefined) refuse(line, "Expected DTSTART, got none")
  const begin = first === undefined ? null : moment(first)
  const replaced = named("RECURRENCE-ID")
  if (replaced?.parameters.RANGE !== undefined) {
    refuse(replaced.line, "RECURRENCE-ID with RANGE is not supported: expected one occurrence")
  }
  const replaces = replaced === undefined ? null : moment(replaced)
  const [excepted, added] = [moments("EXDATE"), moments("RDATE")]
  const minutes =
    begin === null
      ? null
      : last !== undefined
        ? untilEnd(begin, moment(last), last, rule !== undefined, refuse)
        : duration !== undefined
          ? durationOf(duration, refuse)
          : begin.minute === null
            ? dayMinutes
            : null
  if (begin === null || problems > 0) return null
  return {
    line,
    endLine: last?.line ?? duration?.line ?? line,
    uid: named("UID")?.value ?? `line ${line}`,
    kind: named(CalendarText.kindName)?.value ?? null,
    label: labelOf(named("SUMMARY")?.value),
    begin,
    minutes,
    rule: rule === undefined ? null : withLocalUntil(rule.value, begin),
    excepted,
    added,
    replaces,
    isCancelled: isCancelled(component)
  }
}

export const isCancelled = ({ properties }: CalendarText.Component): boolean =>
  properties.some(({ name, value }) => name === "STATUS" && value.trim().toUpperCase() === "CANCELLED")

const dayMinutes = 1_440

/** The local time of a moment in another zone. Moments of whole days stay as they are. */
export const inZone = (moment: Moment, zone: string): Moment => {
  if (moment.minute === null || moment.zone === null || moment.zone === zone) return moment
  const at = instantOf(moment.zone, moment)
  const local = at + Zone.get(zone).segmentAt(at).offset
  const day = Math.floor(local / dayMillis)
  return { day, minute: Math.floor((local - day * dayMillis) / 60_000), zone }
}

const instantOf = (zone: string, { day, minute }: Moment): number => {
  const local = day * dayMillis + (minute ?? 0) * 60_000
  const { segmentAt } = Zone.get(zone)
  return local - segmentAt(local - segmentAt(local).offset).offset
}

/** The minutes from the beginning to the end, by the clocks of the zone of the beginning. */
const untilEnd = (
  begin: Moment,
  end: Moment | null,
  { line, value }: CalendarText.Property,
  recurs: boolean,
  note: Note
): number | null => {
  if (end === null) return null
  if (begin.minute === null) {
    if (end.minute === null && end.day > begin.day) return (end.day - begin.day) * dayMinutes
    note(line, `Expected DTEND with a date after that of DTSTART, got ${JSON.stringify(value)}`)
    return null
  }
  if (end.minute === null) {
    note(line, "Expected DTEND with a time, got a date")
    return null
  }
  if (recurs && end.zone !== begin.zone) {
    note(line, `Expected DTEND in the zone ${begin.zone} of DTSTART, as the event recurs, got ${end.zone}`)
    return null
  }
  const local = inZone(end, begin.zone ?? "UTC")
  return (local.day - begin.day) * dayMinutes + (local.minute ?? 0) - begin.minute
}

const durationOf = ({ line, value }: CalendarText.Property, note: Note): number | null => {
  const found = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i.exec(value.trim())
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (found?.slice(1) ?? []).map((part) =>
    Number(part ?? 0)
  )
  const all = (weeks * 7 + days) * dayMinutes + hours * 60 + minutes + seconds / 60
  if (found !== null && all > 0 && Number.isInteger(all)) return all
  note(line, `Expected DURATION in whole minutes such as PT8H30M or P1D, got ${JSON.stringify(value.slice(0, 40))}`)
  return null
}

/** The most characters of a label. */
const mostLabel = 256

const labelOf = (summary: string | undefined): string | null => {
  const text =
    summary?.replace(/\\([nN,;\\])/g, (_, character: string) => (/n/i.test(character) ? "\n" : character)) ?? ""
  const characters = [...text]
  if (characters.length > mostLabel) return `${characters.slice(0, mostLabel - 1).join("")}…`
  return text === "" ? null : text
}

const momentOf = (
  { line, name, parameters, value }: CalendarText.Property,
  calendarZone: string | null,
  zoneNamed: (name: string) => string | null,
  note: Note
): Moment | null => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T([01]\d|2[0-3])([0-5]\d)([0-5]\d)(Z?))?$/.exec(value.trim())
  const [, year, month, date, hours, minutes, seconds, utc] = found ?? []
  if (found === null || !CivilDate.exists(Number(year), Number(month), Number(date))) {
    note(
      line,
      `Expected ${name} with a date such as 20261231 or 20261231T220000, got ${JSON.stringify(value.slice(0, 40))}`
    )
    return null
  }
  const day = CivilDate.fromYmd(Number(year), Number(month), Number(date))
  if (hours === undefined) return { day, minute: null, zone: null }
  if (seconds !== "00") {
    note(line, `Expected ${name} at a whole minute, got ${value.slice(9, 15)}`)
    return null
  }
  const minute = Number(hours) * 60 + Number(minutes)
  if (utc === "Z") return { day, minute, zone: "UTC" }
  const written = parameters.TZID
  const zone = written === undefined ? calendarZone : zoneNamed(written)
  if (zone !== null) return { day, minute, zone }
  note(
    line,
    written === undefined
      ? `Expected ${name} with TZID, got a time of no zone`
      : `The time zone ${JSON.stringify(written.slice(0, 80))} is not known: expected an IANA name such as Europe/Berlin, or one of Windows`
  )
  return null
}

/** An UNTIL with a time as the last local date on which the event begins by then. */
const withLocalUntil = (rule: string, { minute, zone }: Moment): string =>
  rule.replace(
    /UNTIL=(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})\d{2}(Z?)/i,
    (written, year, month, date, hours, minutes, utc) => {
      const [y, m, d] = [Number(year), Number(month), Number(date)]
      if (!CivilDate.exists(y, m, d)) return written
      const day = CivilDate.fromYmd(y, m, d)
      if (minute === null || zone === null) return `UNTIL=${dateText(day)}`
      const until = { day, minute: Number(hours) * 60 + Number(minutes), zone: utc === "" ? zone : "UTC" }
      const local = inZone(until, zone)
      return `UNTIL=${dateText((local.minute ?? 0) < minute ? local.day - 1 : local.day)}`
    }
  )

export const dateText = (day: CivilDate.EpochDay): string => {
  const { dayOfMonth, month, year } = CivilDate.parts(day)
  return `${String(year).padStart(4, "0")}${String(month).padStart(2, "0")}${String(dayOfMonth).padStart(2, "0")}`
}

/** The zones that the definitions in a calendar name, by their TZID. */
export const zonesOf = (calendars: ReadonlyArray<CalendarText.Component>): ((name: string) => string | null) => {
  const defined = new Map<string, string>()
  for (const component of calendars.flatMap(({ components }) => components)) {
    const named = (name: string) => component.properties.find((property) => property.name === name)?.value
    const location = component.name === "VTIMEZONE" ? (named("X-LIC-LOCATION") ?? named("TZURL")) : undefined
    const id = named("TZID")
    if (location !== undefined && id !== undefined) defined.set(id, location.replace(/\.ics$/, ""))
  }
  return (name) => CalendarZones.zoneOf(name) ?? CalendarZones.zoneOf(defined.get(name) ?? "")
}
