/**
 * Reads a calendar (RFC 5545) as a window.
 *
 * Events of other programs add up, as they do in a calendar: what a window would let replace the hours of a date is
 * completed by what else is on that date. What a window cannot say is refused with the line of its event.
 */
import { Result, Schema } from "effect"
import * as CivilDate from "../calendar/CivilDate.ts"
import * as Recurrence from "../calendar/Recurrence.ts"
import * as RecurrenceRule from "../calendar/RecurrenceRule.ts"
import * as Zone from "../calendar/Zone.ts"
import * as DayPlan from "../DayPlan.ts"
import { type CalendarDate, Day, type Time, type ValidRunWindow } from "../Definition.ts"
import * as TextLength from "../TextLength.ts"
import * as Validation from "../Validation.ts"
import * as CalendarEvents from "./CalendarEvents.ts"
import * as CalendarText from "./CalendarText.ts"

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

export interface ReadOptions {
  /**
   * The instant from which the window is to be right. Events that ended before it are passed over, and weekly events that
   * begin later open from their first date on. By default when the calendar was written, as its latest `DTSTAMP` says;
   * without one, all events count, each from its first date on, but for weekly ones that go on until midnight or beyond:
   * these have begun.
   */
  readonly now?: number
}

/** A window, and the events that it leaves out, each at its line. */
export interface PartOfCalendar {
  readonly window: ValidRunWindow
  readonly leftOut: ReadonlyArray<CalendarProblem>
}

/** The longest calendar that is read, in characters. */
const mostCharacters = 1_000_000

/** A problem, and the line of the event that it is about; `null` where it is about the whole. */
interface Noted extends CalendarProblem {
  readonly event: number | null
}

export const readPart = (
  text: string,
  options: ReadOptions,
  leavesOut: boolean
): Result.Result<PartOfCalendar, InvalidCalendar> => {
  if (!TextLength.fits(text, mostCharacters)) {
    const message = `Expected at most ${mostCharacters} characters, got ${TextLength.of(text)}`
    return Result.fail(new InvalidCalendar({ problems: [{ line: 1, message }] }))
  }
  const { calendars, problems } = CalendarText.parse(text)
  if (problems.length > 0) return Result.fail(new InvalidCalendar({ problems }))
  const left: Array<Noted> = []
  for (;;) {
    const gone = new Set(left.map(({ event }) => event))
    const built = build(calendars, options, (line) => !gone.has(line))
    if (Result.isSuccess(built)) {
      const leftOut = left.map(({ line, message }) => ({ line, message }))
      return Result.succeed({ window: built.success, leftOut })
    }
    const ofEvents = built.failure.filter(({ event }) => event !== null)
    if (!leavesOut || ofEvents.length === 0) {
      const problems = [...left, ...built.failure].map(({ line, message }) => ({ line, message }))
      return Result.fail(new InvalidCalendar({ problems }))
    }
    left.push(...ofEvents)
  }
}

/** The weekly hours or special entries of an event. */
interface Entry {
  readonly line: number
  readonly hours: unknown
}

const build = (
  calendars: ReadonlyArray<CalendarText.Component>,
  { now }: ReadOptions,
  isTaken: (line: number) => boolean
): Result.Result<ValidRunWindow, ReadonlyArray<Noted>> => {
  const problems: Array<Noted> = []
  const components = calendars
    .flatMap(({ components }) => components)
    .filter(({ line, name }) => name === "VEVENT" && isTaken(line))
  const properties = calendars.flatMap(({ properties }) => properties)
  const zoneNamed = CalendarEvents.zonesOf(calendars)
  const written = properties.find(({ name }) => name === "X-WR-TIMEZONE")
  const calendarZone = written === undefined ? null : zoneNamed(written.value)
  const events = components.flatMap((component) => {
    const isReplacement = component.properties.some(({ name }) => name === "RECURRENCE-ID")
    if (CalendarEvents.isCancelled(component) && !isReplacement) return []
    const note = (line: number, message: string) => void problems.push({ line, message, event: component.line })
    return CalendarEvents.read(component, calendarZone, zoneNamed, note) ?? []
  })
  const found = zoneOf(events, calendarZone)
  const zone = found ?? "UTC"
  const latest = Math.max(...components.map(stampOf))
  const at = now ?? (latest > 0 ? latest : null)
  const today = at === null ? null : Math.floor((at + Zone.get(zone).segmentAt(at).offset) / DayPlan.dayMillis)
  const placed = inOneZone(events, zone, (noted) => problems.push(noted))
  const hours = hoursOf(placed, today, (noted) => problems.push(noted))
  if (found === null && problems.length === 0) {
    const [line, message] =
      written === undefined
        ? [1, "Expected an event with times in a zone, got none"]
        : [written.line, `The time zone ${JSON.stringify(written.value.slice(0, 80))} is not known`]
    problems.push({ line, message, event: null })
  }
  if (problems.length > 0) return Result.fail(problems)
  const special = [
    ...hours.special,
    ...properties
      .filter(({ name }) => name === CalendarText.withoutDate)
      .map(({ line, value }) => ({ line, hours: jsonOf(value) }))
  ]
  const checked = Validation.read({
    time_zone: zone,
    regular_hours: hours.regular.map(({ hours }) => hours),
    ...(special.length === 0 ? {} : { special_hours: special.map(({ hours }) => hours) })
  })
  return Result.mapError(checked, ({ issues }) =>
    issues.map(({ message, path }): Noted => {
      const [, list, index] = /^(regular|special)_hours\[(\d+)\]/.exec(path) ?? []
      const line = (list === "regular" ? hours.regular : special)[Number(index)]?.line
      return { line: line ?? 1, message, event: line ?? null }
    })
  )
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** When an event was written. Sluice writes none. */
const stampOf = ({ properties }: CalendarText.Component): number => {
  const stamp = properties.find(({ name }) => name === "DTSTAMP")?.value ?? ""
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})T\d{6}Z$/.exec(stamp) ?? []
  return year === undefined ? 0 : CivilDate.fromYmd(Number(year), Number(month), Number(day)) * DayPlan.dayMillis
}

/** The zone in which most events recur, else that of the calendar, else of the first event. */
const zoneOf = (events: ReadonlyArray<CalendarEvents.Event>, calendarZone: string | null): string | null => {
  const counts = new Map<string, number>()
  for (const { begin, rule } of events) {
    if (begin.zone !== null && rule !== null) counts.set(begin.zone, (counts.get(begin.zone) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  const zones = events.flatMap(({ begin }) => begin.zone ?? [])
  return most?.[0] ?? calendarZone ?? zones.find((zone) => zone !== "UTC") ?? zones[0] ?? null
}

type NoteOf = (noted: Noted) => void

/** The events in the zone of the window, each with the dates that were changed or called off. */
const inOneZone = (
  events: ReadonlyArray<CalendarEvents.Event>,
  zone: string,
  note: NoteOf
): ReadonlyArray<CalendarEvents.Event> => {
  const moved = events.filter(({ replaces }) => replaces !== null)
  return events.flatMap((event): ReadonlyArray<CalendarEvents.Event> => {
    const { begin, line, rule, uid } = event
    if (event.replaces !== null && event.isCancelled) return []
    if (rule !== null && begin.zone !== null && begin.zone !== zone) {
      const message = `Expected all events that recur in one zone, ${zone}, got ${begin.zone}`
      note({ line, message, event: line })
      return []
    }
    const replaced = rule === null ? [] : moved.flatMap((other) => (other.uid === uid ? (other.replaces ?? []) : []))
    const local = (moment: CalendarEvents.Moment) => CalendarEvents.inZone(moment, zone)
    const excepted = [...event.excepted, ...replaced].map(local)
    return [{ ...event, begin: local(begin), excepted, added: event.added.map(local) }]
  })
}

/** Minutes `[start, end)` of a date. */
type Interval = readonly [number, number]

const dayMinutes = 1_440

/** An event with times of another program, by the dates on which it begins. */
interface Timed {
  readonly event: CalendarEvents.Event
  readonly start: number
  readonly end: number
  /** Whether it begins on a date, with the dates that are excepted or without them. */
  readonly isOn: (day: CivilDate.EpochDay, excepts: boolean) => boolean
}

const merged = (intervals: ReadonlyArray<Interval>): ReadonlyArray<Interval> => {
  const found: Array<[number, number]> = []
  for (const [start, end] of intervals.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else found.push([start, end])
  }
  return found
}

const areSame = (one: ReadonlyArray<Interval>, other: ReadonlyArray<Interval>): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const hoursOf = (
  events: ReadonlyArray<CalendarEvents.Event>,
  today: CivilDate.EpochDay | null,
  note: NoteOf
): { readonly regular: ReadonlyArray<Entry>; readonly special: ReadonlyArray<Entry> } => {
  const regular: Array<Entry> = []
  const special: Array<Entry> = []
  const weekly: Array<Timed> = []
  const recurring: Array<Timed> = []
  const single: Array<Timed> = []
  const closings: Array<{ readonly event: CalendarEvents.Event; readonly isOn: Timed["isOn"] }> = []
  for (const event of events) {
    const { begin, endLine, kind, line, minutes, rule } = event
    const refuse = (at: number, message: string) => note({ line: at, message, event: line })
    const start = begin.minute
    const end = (start ?? 0) + (minutes ?? 0)
    if (minutes === null) {
      refuse(line, "Expected DTEND with a time, got none")
      continue
    }
    if (minutes <= 0) {
      refuse(
        line,
        `Expected an end after ${clock(start ?? 0)}, got ${clock(((end % dayMinutes) + dayMinutes) % dayMinutes)}`
      )
      continue
    }
    const series = rule === null ? null : seriesOf(rule, begin.day)
    if (typeof series === "string") {
      refuse(line, series)
      continue
    }
    const except = new Set(event.excepted.map(({ day }) => day))
    const days = start === null ? minutes / dayMinutes : 1
    const isOn: Timed["isOn"] = (day, excepts) =>
      series === null
        ? day >= begin.day && day < begin.day + days
        : series.has(CivilDate.parts(day)) && !(excepts && except.has(day))
    if (kind === null && today !== null && isOver(event, series, today, end)) continue
    if (start === null) {
      if (series !== null && days !== 1) {
        refuse(
          endLine,
          `Expected DTEND on the following day, as the event recurs, got ${days} days: use one event for each day`
        )
        continue
      }
      special.push({ line, hours: { active: false, ...labelOf(event), ...datesOf(event, days) } })
      if (kind === null) closings.push({ event, isOn })
      continue
    }
    const weekdays = kind === null || kind === "regular" ? weeklyOn(rule ?? "", begin.day) : null
    const hasBegun = kind !== null || (today === null ? end >= dayMinutes : begin.day <= today)
    if (weekdays !== null && hasBegun) {
      if (end >= 2 * dayMinutes) {
        refuse(endLine, "Expected an end on the same or the following day: a period spans at most one night")
        continue
      }
      for (const weekday of weekdays) regular.push({ line, hours: periodOf(weekday, start, end) })
      if (kind === null) {
        const isOnWeekday: Timed["isOn"] = (day, excepts) =>
          weekdays.includes(CivilDate.weekday(day)) && !(excepts && except.has(day))
        weekly.push({ event, start, end, isOn: isOnWeekday })
      }
      continue
    }
    if (end >= dayMinutes) {
      refuse(endLine, "Expected an end on the same day: special hours end before midnight")
      continue
    }
    const hours = { active: true, active_start_time: timeOf(start), active_end_time: timeOf(end), ...labelOf(event) }
    if (kind !== null) special.push({ line, hours: { ...hours, ...datesOf(event, 1) } })
    else (series === null ? single : recurring).push({ event, start, end, isOn })
    for (const { day, minute } of kind === null ? event.added : []) {
      const at = minute ?? start
      const moved = { ...event, rule: null, excepted: [], begin: { ...begin, day, minute: at } }
      single.push({ event: moved, start: at, end: at + minutes, isOn: (one) => one === day })
    }
  }
  const add = (entry: Entry) => void special.push(entry)
  const alone = (timed: Timed) => void single.push(timed)
  const kept = recurring.filter((timed) => addWeekly(timed, weekly, today, add, alone, note))
  special.push(...datedOf({ weekly, recurring: kept, single, closings }, today, note))
  return { regular, special }
}

/** Whether nothing of an event is left from a date on. */
const isOver = (
  { added, begin, rule }: CalendarEvents.Event,
  series: Recurrence.Series | null,
  today: CivilDate.EpochDay,
  end: number
): boolean => {
  if (added.some(({ day }) => day >= today)) return false
  if (series === null) return begin.day + Math.ceil(end / dayMinutes) <= today
  if (!/UNTIL|COUNT/i.test(rule ?? "")) return false
  return nextOf(series, Math.max(today - 1, begin.day)) === null
}

/** How far the dates of a rule are followed. */
const mostDays = 8 * 366

const nextOf = (series: Recurrence.Series, from: CivilDate.EpochDay): CivilDate.EpochDay | null => {
  for (let date = CivilDate.parts(from); date.day <= from + mostDays; date = CivilDate.following(date)) {
    if (series.has(date)) return date.day
  }
  return null
}

/** The dates of a rule; a sentence where it is not valid. */
const seriesOf = (rule: string, start: CivilDate.EpochDay): Recurrence.Series | string => {
  const read = RecurrenceRule.parse(rule)
  return Result.isSuccess(read) ? Recurrence.series(read.success, start) : read.failure
}

/** How many dates of an event that ends may have entries of their own. */
const mostSingle = 100

/** The hours that weekly events give to a date. */
const weeklyOnDate = (weekly: ReadonlyArray<Timed>, day: CivilDate.EpochDay, excepts: boolean, spills: boolean) =>
  weekly.flatMap(
    ({ end, isOn, start }): ReadonlyArray<Interval> => [
      ...(isOn(day, excepts) ? [[start, Math.min(end, dayMinutes)] as const] : []),
      ...(spills && end > dayMinutes && isOn(day - 1, excepts) ? [[0, end - dayMinutes] as const] : [])
    ]
  )

/**
 * The entries of an event that recurs beside weekly hours, with those of its weekdays; `false` where the weekly hours say
 * all of it, where its few dates stand alone, or where it is refused.
 */
const addWeekly = (
  timed: Timed,
  weekly: ReadonlyArray<Timed>,
  today: CivilDate.EpochDay | null,
  add: (entry: Entry) => void,
  alone: (timed: Timed) => void,
  note: NoteOf
): boolean => {
  const { event, isOn, start } = timed
  const { line } = event
  const found = new Map<string, ReadonlyArray<Interval>>()
  const dates: Array<CivilDate.EpochDay> = []
  const from = Math.max(event.begin.day, today ?? event.begin.day)
  for (let day = from; day <= from + mostDays; day++) {
    if (!isOn(day, false)) continue
    const hours = merged(weeklyOnDate(weekly, day, false, true))
    found.set(JSON.stringify(hours), hours)
    dates.push(day)
  }
  const own: Interval = [start, timed.end]
  const all = [...found.values()]
  if (all.length > 0 && all.every((hours) => areSame(merged([...hours, own]), hours))) return false
  const [hours = []] = all
  if (all.length > 1 || hours.some(([, end]) => end >= dayMinutes)) {
    if (/UNTIL|COUNT/i.test(event.rule ?? "") && dates.length <= mostSingle) {
      for (const day of dates.filter((date) => isOn(date, true))) {
        const begin = { ...event.begin, day }
        alone({
          event: { ...event, rule: null, excepted: [], begin },
          start,
          end: timed.end,
          isOn: (asked) => asked === day
        })
      }
      return false
    }
    const message =
      "It falls on dates with other weekly hours, which special hours would replace: use weekly events, or one event for each date"
    note({ line, message, event: line })
    return false
  }
  const rule = { recurrence: event.rule, recurrence_start: dateOf(event.begin.day) }
  for (const [from, to] of hours.length === 0 ? [own] : merged([...hours, own])) {
    const label = from === start && to === timed.end ? labelOf(event) : {}
    add({
      line,
      hours: { active: true, active_start_time: timeOf(from), active_end_time: timeOf(to), ...label, ...rule }
    })
  }
  return true
}

interface Sorted {
  readonly weekly: ReadonlyArray<Timed>
  readonly recurring: ReadonlyArray<Timed>
  readonly single: ReadonlyArray<Timed>
  readonly closings: ReadonlyArray<Pick<Timed, "event" | "isOn">>
}

/** The entries of the dates on which an event stands alone, was moved or was called off: all hours of these dates. */
const datedOf = (
  { closings, recurring, single, weekly }: Sorted,
  today: CivilDate.EpochDay | null,
  note: NoteOf
): ReadonlyArray<Entry> => {
  const causes = new Map<CivilDate.EpochDay, CalendarEvents.Event>()
  for (const { event, isOn } of [...weekly, ...recurring, ...closings]) {
    for (const { day } of event.excepted) if (isOn(day, false)) causes.set(day, event)
  }
  for (const { event } of single) causes.set(event.begin.day, event)
  const dates = [...causes.keys()].filter((day) => today === null || day >= today).sort((one, other) => one - other)
  const entries: Array<Entry> = []
  const special = new Set<CivilDate.EpochDay>()
  const isClosed = (day: CivilDate.EpochDay, excepts: boolean) => closings.some(({ isOn }) => isOn(day, excepts))
  const isSpecial = (day: CivilDate.EpochDay) =>
    special.has(day) || isClosed(day, false) || recurring.some(({ isOn }) => isOn(day, false))
  for (const day of dates) {
    const event = causes.get(day)
    if (event === undefined || (isClosed(day, true) && isClosed(day, false))) continue
    const whole = ({ end, start }: Timed): Interval => [start, end]
    const ofRules = (excepts: boolean) => recurring.filter(({ isOn }) => isOn(day, excepts)).map(whole)
    const ofWeek = (excepts: boolean) => weeklyOnDate(weekly, day, excepts, !isClosed(day - 1, excepts))
    const wanted = merged([
      ...ofRules(true),
      ...ofWeek(true),
      ...single.filter(({ isOn }) => isOn(day, true)).map(whole)
    ])
    const plain = weeklyOnDate(weekly, day, false, !isSpecial(day - 1))
    const present = isClosed(day, false) ? [] : merged([...ofRules(false), ...plain])
    if (areSame(wanted, present)) continue
    const { line } = event
    if (wanted.some(([, end]) => end >= dayMinutes)) {
      const date = CalendarEvents.dateText(day)
      const message = `On ${date} other hours go on until midnight or beyond, which special hours cannot say beside it`
      note({ line, message, event: line })
      continue
    }
    special.add(day)
    const start_date = dateOf(day)
    if (wanted.length === 0) entries.push({ line, hours: { active: false, start_date } })
    for (const [from, to] of wanted) {
      const same = single.find((timed) => timed.isOn(day, true) && timed.start === from && timed.end === to)
      const label = same === undefined ? {} : labelOf(same.event)
      const times = { active_start_time: timeOf(from), active_end_time: timeOf(to) }
      entries.push({ line, hours: { active: true, ...times, ...label, start_date } })
    }
  }
  return entries
}

const periodOf = (weekday: number, start: number, end: number) => ({
  active_start_day: Day.literals[weekday],
  active_start_time: timeOf(start),
  active_end_day: Day.literals[(weekday + Math.floor(end / dayMinutes)) % 7],
  active_end_time: timeOf(end % dayMinutes)
})

const timeOf = (minute: number): Time => ({ hours: Math.floor(minute / 60), minutes: minute % 60 })

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

const dateOf = (epochDay: CivilDate.EpochDay): CalendarDate => {
  const { dayOfMonth, month, year } = CivilDate.parts(epochDay)
  return { year, month, day: dayOfMonth }
}

/** The label of an event. Sluice writes one where an entry has none. */
const labelOf = ({ begin, kind, label }: CalendarEvents.Event) =>
  label === null || (kind !== null && label === (begin.minute === null ? "Closed" : "Open")) ? {} : { label }

/** The dates of a special entry. A dated entry of several days is written as a rule that counts them. */
const datesOf = ({ begin, kind, rule }: CalendarEvents.Event, days: number) => {
  const first = dateOf(begin.day)
  const counted = begin.minute === null ? null : /^FREQ=DAILY;COUNT=(\d+)$/i.exec(rule ?? "")
  if (rule === null || (kind === "dated" && counted !== null)) {
    const all = counted === null ? days : Number(counted[1])
    return { start_date: first, ...(all > 1 ? { end_date: dateOf(begin.day + all - 1) } : {}) }
  }
  return { recurrence: rule, recurrence_start: first }
}

const weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

/** The weekdays of a rule that says nothing else; `null` for any other rule. */
const weeklyOn = (rule: string, day: CivilDate.EpochDay): ReadonlyArray<number> | null => {
  const parts = rule
    .toUpperCase()
    .split(";")
    .filter((part) => part !== "" && part !== "INTERVAL=1" && !part.startsWith("WKST="))
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
