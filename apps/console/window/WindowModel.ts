/**
 * A run window in the form of its editor: rows of ranges for each weekday, and special dates. The editor uses the same
 * evaluator as the service.
 */

import * as CivilDate from "../../../core/window/calendar/CivilDate.ts"
import * as Recurrence from "../../../core/window/calendar/Recurrence.ts"
import * as RecurrenceRule from "../../../core/window/calendar/RecurrenceRule.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"

export const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const
export const dayWords = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const

/** Hours between two times of day. `to` at or before `from` is on the next day; `00:00` is its beginning. */
export interface Range {
  readonly from: string
  readonly to: string
  /** Whether it ends on the next day although `to` is later than `from`: it is longer than a day. */
  readonly isLong: boolean
}

export interface Special {
  readonly isOpen: boolean
  readonly label: string
  readonly isRecurring: boolean
  /** The first date, or the first of the recurrence, as `2026-12-24`. */
  readonly from: string
  /** The last date; empty for a single date. */
  readonly until: string
  readonly rule: string
  /** The whole date, or hours of it. */
  readonly isWholeDay: boolean
  readonly start: string
  readonly end: string
}

export interface Draft {
  readonly zone: string
  /** The ranges of each day, from Monday on. */
  readonly week: ReadonlyArray<ReadonlyArray<Range>>
  readonly specials: ReadonlyArray<Special>
}

const dayMillis = 86_400_000

const pad = (value: number, length = 2): string => String(value).padStart(length, "0")

type Time = RunWindow.RunWindow["regular_hours"][number]["active_start_time"]

const clockOf = ({ hours, minutes = 0 }: Time): string => `${pad(hours)}:${pad(minutes)}`

/** The parts of `HH:MM`; of any other text they are `NaN`, which no rule accepts. */
const timeOf = (clock: string): { readonly hours: number; readonly minutes: number } => {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(clock) ?? []
  return { hours: Number(hours), minutes: Number(minutes) }
}

/** A typed time of day as `HH:MM`: `9`, `930`, `9.30` and `09:30` are understood; any other text does not change. */
export const clockFrom = (typed: string): string => {
  const [, hours = "", minutes = ""] = /^\s*(\d{1,2}?)[:.h ]?(\d{2})?\s*$/.exec(typed) ?? []
  const [hour, minute] = [Number(hours), Number(minutes === "" ? "0" : minutes)]
  return hours === "" || hour > 24 || minute > 59 ? typed : `${pad(hour % 24)}:${pad(minute)}`
}

/** A date that is open all day has hours up to its last minute, at which special hours must end. */
const allDay = { start: "00:00", end: "23:59" }

const hoursOf = ({ end, isOpen, isWholeDay, start }: Special) => {
  if (isWholeDay && !isOpen) return {}
  const hours = isWholeDay ? allDay : { start, end }
  return { active_start_time: timeOf(hours.start), active_end_time: timeOf(hours.end) }
}

const isWholeDay = ({
  active,
  active_end_time: end,
  active_start_time: start
}: NonNullable<RunWindow.RunWindow["special_hours"]>[number]): boolean =>
  start === undefined || end === undefined
    ? start === end
    : active && clockOf(start) === allDay.start && clockOf(end) === allDay.end

const dateText = (date: { readonly year: number; readonly month: number; readonly day: number } | undefined): string =>
  date === undefined ? "" : `${pad(date.year, 4)}-${pad(date.month)}-${pad(date.day)}`

const dateOf = (text: string) => {
  const [year, month, day] = text.split("-").map(Number)
  return { year: year ?? Number.NaN, month: month ?? Number.NaN, day: day ?? Number.NaN }
}

/** The editor's form of a window. */
export const draftOf = (window: RunWindow.RunWindow): Draft => ({
  zone: window.time_zone,
  week: days.map((day) =>
    window.regular_hours
      .filter(({ active_start_day }) => active_start_day === day)
      .map((period) => {
        const [from, to] = [clockOf(period.active_start_time), clockOf(period.active_end_time)]
        return { from, to, isLong: period.active_end_day !== day && to > from }
      })
      .toSorted((one, other) => one.from.localeCompare(other.from))
  ),
  specials: (window.special_hours ?? []).map((special) => ({
    isOpen: special.active,
    label: special.label ?? "",
    isRecurring: special.recurrence !== undefined,
    from: dateText(special.recurrence === undefined ? special.start_date : special.recurrence_start),
    until: dateText(special.end_date),
    rule: special.recurrence ?? "",
    isWholeDay: isWholeDay(special),
    start: special.active_start_time === undefined ? "00:00" : clockOf(special.active_start_time),
    end: special.active_end_time === undefined ? "00:00" : clockOf(special.active_end_time)
  }))
})

/** The window of a draft. Its values may be invalid: `RunWindow.validate` says which. */
export const windowOf = ({ specials, week, zone }: Draft): unknown => ({
  time_zone: zone,
  regular_hours: week.flatMap((ranges, index) =>
    ranges.map(({ from, isLong, to }) => ({
      active_start_day: days[index],
      active_start_time: timeOf(from),
      active_end_day: days[to <= from || isLong ? (index + 1) % 7 : index],
      active_end_time: timeOf(to)
    }))
  ),
  ...(specials.length === 0
    ? {}
    : {
        special_hours: specials.map((special) => ({
          active: special.isOpen,
          ...(special.label === "" ? {} : { label: special.label }),
          ...(special.isRecurring
            ? { recurrence: special.rule, ...(special.from === "" ? {} : { recurrence_start: dateOf(special.from) }) }
            : {
                start_date: dateOf(special.from),
                ...(special.until === "" ? {} : { end_date: dateOf(special.until) })
              }),
          ...hoursOf(special)
        }))
      })
})

const specialFields: Readonly<Record<string, keyof Special>> = {
  label: "label",
  start_date: "from",
  end_date: "until",
  recurrence: "rule",
  recurrence_start: "from",
  active_start_time: "start",
  active_end_time: "end"
}

/**
 * The place in the editor of the path of an issue: a range by its day and position, a special entry or a field of it, or
 * the zone.
 */
export const placeOf = (draft: Draft, path: string): string => {
  const [, list, index] = /^(regular_hours|special_hours)\[(\d+)\]/.exec(path) ?? []
  if (list === "special_hours") {
    const field = specialFields[/^special_hours\[\d+\]\.(\w+)/.exec(path)?.[1] ?? ""]
    return field === undefined ? `special ${index}` : `special ${index} ${field}`
  }
  if (list === "regular_hours") {
    let left = Number(index)
    for (const [day, ranges] of draft.week.entries()) {
      if (left < ranges.length) return `range ${day} ${left}`
      left -= ranges.length
    }
  }
  return path.startsWith("time_zone") ? "zone" : "window"
}

/** The part of the window that decides, in words, from its path. */
export const deciderWords = (window: RunWindow.RunWindow, path: string, label: string | null): string => {
  if (label !== null && label !== "") return label
  const [, list, index] = /^(regular_hours|special_hours)\[(\d+)\]/.exec(path) ?? []
  const period = list === "regular_hours" ? window.regular_hours[Number(index)] : undefined
  if (period !== undefined) {
    const [day, last] = [period.active_start_day, period.active_end_day].map(
      (name) => dayWords[days.indexOf(name)] ?? ""
    )
    const [from, to] = [clockOf(period.active_start_time), clockOf(period.active_end_time)]
    const end = day === last || to < from ? to : to === "00:00" ? "24:00" : `until ${last} ${to}`
    return `${day} ${from}${end.startsWith("until") ? " " : "–"}${end}`
  }
  return list === "special_hours" ? `Special entry ${Number(index) + 1}` : path
}

/** The label of the special entry of a path; `null` when it has none. */
export const labelAt = (window: RunWindow.RunWindow, path: string): string | null => {
  const [, index] = /^special_hours\[(\d+)\]/.exec(path) ?? []
  return index === undefined ? null : (window.special_hours?.[Number(index)]?.label ?? null)
}

export interface DayPicture {
  /** Such as `2026-03-29`. */
  readonly date: string
  readonly dayOfMonth: number
  readonly month: number
  /** Open intervals as fractions of 24 hours in local time. */
  readonly open: ReadonlyArray<readonly [from: number, to: number]>
  /** The length of a day with a change of clocks, in hours; `null` for 24. */
  readonly hours: number | null
  readonly isPast: boolean
  readonly isToday: boolean
}

/** The weeks in local time, from the one that contains an instant. */
export const weeksOf = (
  schedule: RunWindow.Schedule,
  at: number,
  count: number
): ReadonlyArray<ReadonlyArray<DayPicture>> => {
  const zone = Zone.get(schedule.window.time_zone)
  const localDay = (instant: number) => Math.floor((instant + zone.segmentAt(instant).offset) / dayMillis)
  const today = localDay(at)
  const first = CivilDate.startOfWeek(today, 0)
  /** The first instant of a local day. */
  const begin = (day: number) => {
    let instant = day * dayMillis - zone.segmentAt(day * dayMillis).offset
    instant = day * dayMillis - zone.segmentAt(instant).offset
    return localDay(instant) < day ? instant + 3_600_000 : instant
  }
  const pictures = Array.from({ length: count * 7 }, (_, index): DayPicture => {
    const day = first + index
    const { dayOfMonth, month, year } = CivilDate.parts(day)
    const [from, to] = [begin(day), begin(day + 1)]
    return {
      date: `${pad(year, 4)}-${pad(month)}-${pad(dayOfMonth)}`,
      dayOfMonth,
      month,
      open: stretches(schedule, zone, from, to),
      hours: to - from === dayMillis ? null : (to - from) / 3_600_000,
      isPast: day < today,
      isToday: day === today
    }
  })
  return Array.from({ length: count }, (_, week) => pictures.slice(week * 7, week * 7 + 7))
}

const stretches = (schedule: RunWindow.Schedule, zone: Zone.Zone, from: number, to: number) => {
  const found: Array<readonly [number, number]> = []
  const fraction = (instant: number, isEnd: boolean) => {
    if (instant >= to) return 1
    const { offset } = zone.segmentAt(isEnd ? Math.max(from, instant - 1) : instant)
    const local = instant + offset
    const within = (local - Math.floor((from + zone.segmentAt(from).offset) / dayMillis) * dayMillis) / dayMillis
    return Math.min(1, Math.max(0, within))
  }
  for (let next = RunWindow.opening(schedule, from); next !== null && next.opensAt < to && found.length < 48; ) {
    const [opens, closes] = [Math.max(from, next.opensAt), next.closesAt ?? to]
    found.push([fraction(opens, false), fraction(Math.min(closes, to), true)])
    next = closes >= to ? null : RunWindow.opening(schedule, closes)
  }
  return found
}

const units = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" } as const
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]
const shortDays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
const ordinals: Readonly<Record<string, string>> = {
  "1": "first",
  "2": "second",
  "3": "third",
  "4": "fourth",
  "5": "fifth",
  "-1": "last"
}

/** A recurrence rule as a sentence; `null` when it cannot be read. */
export const ruleWords = (text: string): string | null => {
  if (RecurrenceRule.parse(text)._tag === "Failure") return null
  const parts = new Map(
    text
      .replace(/^RRULE:/i, "")
      .split(";")
      .map((part) => part.toUpperCase().split("=", 2) as [string, string])
  )
  const unit = units[(parts.get("FREQ") ?? "DAILY") as keyof typeof units]
  const interval = Number(parts.get("INTERVAL") ?? 1)
  const byDay = parts.get("BYDAY")?.split(",").map(weekdayWords)
  const byMonth = parts
    .get("BYMONTH")
    ?.split(",")
    .map((month) => months[Number(month) - 1] ?? month)
  const byMonthDay = parts
    .get("BYMONTHDAY")
    ?.split(",")
    .map((day) => (day.startsWith("-") ? `day ${day} from the end` : `day ${day}`))
  const known = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTH", "BYMONTHDAY", "UNTIL", "COUNT", "WKST"])
  const others = [...parts].filter(([name]) => !known.has(name)).map(([name, value]) => `${name} ${value}`)
  return [
    interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`,
    ...(byMonthDay === undefined ? [] : [`on ${listed(byMonthDay)}`]),
    ...(byDay === undefined ? [] : [`on ${listed(byDay)}`]),
    ...(byMonth === undefined ? [] : [`in ${listed(byMonth)}`]),
    ...(others.length === 0 ? [] : [`with ${listed(others)}`]),
    ...(parts.has("COUNT") ? [`${parts.get("COUNT")} times`] : []),
    ...(parts.has("UNTIL")
      ? [`until ${(parts.get("UNTIL") ?? "").replace(/^(\d{4})(\d{2})(\d{2}).*/, "$1-$2-$3")}`]
      : [])
  ].join(" ")
}

const weekdayWords = (part: string): string => {
  const [, nth = "", day = ""] = /^([+-]?\d+)?([A-Z]{2})$/.exec(part) ?? []
  const word = dayWords[shortDays.indexOf(day)] ?? part
  return nth === "" ? word : `the ${ordinals[String(Number(nth))] ?? `${Number(nth)}.`} ${word}`
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** The next dates of a recurrence from a day, at most `count`, within four years. */
export const nextDates = (rule: string, start: string, today: string, count: number): ReadonlyArray<string> => {
  const parsed = RecurrenceRule.parse(rule)
  if (parsed._tag === "Failure") return []
  const dayOf = (text: string) => {
    const { day, month, year } = dateOf(text)
    return CivilDate.exists(year, month, day) ? CivilDate.fromYmd(year, month, day) : null
  }
  const from = dayOf(today) ?? 0
  const series = Recurrence.series(parsed.success, dayOf(start) ?? from)
  const found: Array<string> = []
  for (let day = from; day < from + 1_461 && found.length < count; day++) {
    const date = CivilDate.parts(day)
    if (series.has(date)) found.push(`${pad(date.year, 4)}-${pad(date.month)}-${pad(date.dayOfMonth)}`)
  }
  return found
}

/** Templates of windows. */
export const presets = (zone: string): ReadonlyArray<{ readonly name: string; readonly draft: Draft }> => {
  const week = (hours: (day: number) => ReadonlyArray<Range>): Draft => ({
    zone,
    week: days.map((_, day) => hours(day)),
    specials: []
  })
  const range = (from: string, to: string): Range => ({ from, to, isLong: false })
  return [
    { name: "Office hours", draft: week((day) => (day < 5 ? [range("09:00", "17:00")] : [])) },
    { name: "Nights", draft: week(() => [range("22:00", "06:00")]) },
    { name: "Weekends", draft: week((day) => (day > 4 ? [range("00:00", "00:00")] : [])) }
  ]
}
