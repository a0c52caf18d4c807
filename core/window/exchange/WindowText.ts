/**
 * A window in plain words, for people.
 *
 * **Example** (Weekly nights, closed at Christmas)
 *
 * ```ts
 * import { Result } from "effect"
 * import * as RunWindow from "@sluice/core/window"
 * import * as WindowText from "@sluice/core/window/text"
 *
 * const night = (day: string, next: string) => ({
 *   active_start_day: day, active_start_time: { hours: 22 }, active_end_day: next, active_end_time: { hours: 6 }
 * })
 * const { window } = Result.getOrThrow(RunWindow.validate({
 *   time_zone: "Europe/Berlin",
 *   regular_hours: [
 *     night("MONDAY", "TUESDAY"), night("TUESDAY", "WEDNESDAY"), night("WEDNESDAY", "THURSDAY"),
 *     night("THURSDAY", "FRIDAY"), night("FRIDAY", "SATURDAY")
 *   ],
 *   special_hours: [{
 *     active: false, recurrence: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",
 *     recurrence_start: { year: 2026, month: 1, day: 1 }
 *   }]
 * }))
 *
 * WindowText.toText(window) // => "Mon–Fri 22:00–06:00, closed on 25 December"
 * ```
 */
import { Result } from "effect"
import * as CivilDate from "../calendar/CivilDate.ts"
import * as RecurrenceRule from "../calendar/RecurrenceRule.ts"
import {
  type CalendarDate,
  Day,
  type RegularPeriod,
  type SpecialHours,
  type Time,
  type ValidRunWindow
} from "../Definition.ts"

/**
 * The hours of a window in plain words: the weekly hours, then each special entry. Times are of the zone of the window,
 * which the text does not name. Hours that end at midnight end at 24:00. With `now`, in epoch milliseconds, a recurrence that
 * begins later says from when on it counts.
 */
export const toText = (window: ValidRunWindow, { now }: { readonly now?: number } = {}): string => {
  const special = (window.special_hours ?? []).map((entry) => specialText(entry, now ?? Number.POSITIVE_INFINITY))
  return [...weekly(window.regular_hours), ...special].join(", ") || "closed"
}

/** Days that share their hours together, in the order of the week. */
const weekly = (periods: ReadonlyArray<RegularPeriod>): ReadonlyArray<string> => {
  const byHours = new Map<string, Set<number>>()
  const ordered = [...periods].sort(
    (one, other) =>
      Day.literals.indexOf(one.active_start_day) - Day.literals.indexOf(other.active_start_day) ||
      minuteOf(one.active_start_time) - minuteOf(other.active_start_time)
  )
  for (const period of ordered) {
    const hours = hoursText(
      period.active_start_time,
      period.active_end_time,
      period.active_start_day !== period.active_end_day
    )
    const days = byHours.get(hours) ?? new Set()
    byHours.set(hours, days.add(Day.literals.indexOf(period.active_start_day)))
  }
  return [...byHours].map(([hours, days]) => `${daysText(days)} ${hours}`)
}

const short = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const

/** Three days or more in a row as a range. */
const daysText = (days: ReadonlySet<number>): string => {
  if (days.size === 7) return "daily"
  const runs: Array<Array<number>> = []
  for (let day = 0; day < 7; day++) {
    if (!days.has(day)) continue
    const last = runs.at(-1)
    if (last?.at(-1) === day - 1) last.push(day)
    else runs.push([day])
  }
  return runs
    .map((run) => run.map((day) => short[day] ?? ""))
    .map((names) => (names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(" ")))
    .join(" ")
}

/** `overnight`: whether it ends on the following day. */
const hoursText = (start: Time, end: Time, overnight: boolean): string => {
  const last = overnight && minuteOf(end) === 0 ? "24:00" : clock(end)
  return `${clock(start)}–${last}${overnight && minuteOf(end) >= minuteOf(start) && last !== "24:00" ? " of the next day" : ""}`
}

const specialText = (entry: SpecialHours, now: number): string => {
  const { active, active_end_time, active_start_time, label } = entry
  const hours =
    active && active_start_time !== undefined && active_end_time !== undefined
      ? hoursText(active_start_time, active_end_time, false)
      : "closed"
  return `${hours} ${whenText(entry, now)}${label === undefined || label.trim() === "" ? "" : ` (${label.trim()})`}`
}

const whenText = ({ end_date, recurrence, recurrence_start, start_date }: SpecialHours, now: number): string => {
  if (start_date !== undefined) {
    const [first, last] = [dateText(start_date), dateText(end_date ?? start_date)]
    return first === last ? `on ${first}` : `from ${first} to ${last}`
  }
  const rule = Result.getOrNull(RecurrenceRule.parse(recurrence ?? ""))
  if (rule === null || recurrence_start === undefined) return "on no date"
  const { day, month, year } = recurrence_start
  const isLater = CivilDate.fromYmd(year, month, day) * 86_400_000 > now
  const from = isLater || rule.interval > 1 || rule.count !== null ? ` from ${dateText(recurrence_start)}` : ""
  const times = rule.count === null ? "" : rule.count === 1 ? ", once" : `, ${rule.count} times`
  const until = rule.until === null ? "" : ` until ${dateText(ofDay(rule.until))}`
  return `${ruleText(rule, recurrence_start)}${from}${times}${until}`
}

const units = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" } as const

/** What a rule leaves out comes from the first date. */
const ruleText = (rule: RecurrenceRule.Rule, start: CalendarDate): string => {
  const { byDay, byMonth, byMonthDay, bySetPosition, byWeekNumber, byYearDay, frequency, interval } = rule
  const unit = units[frequency]
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`
  const parts = byDay.length + byMonthDay.length + byWeekNumber.length + byYearDay.length
  const isDate = frequency === "YEARLY" && byDay.length + byWeekNumber.length + byYearDay.length === 0
  const plain = bySetPosition.length === 0
  if (isDate && plain && byMonthDay.every((day) => day > 0) && (byMonth.length > 0 || byMonthDay.length === 0)) {
    const [days, months] = [
      byMonthDay.length > 0 ? byMonthDay : [start.day],
      byMonth.length > 0 ? byMonth : [start.month]
    ]
    const dates = months.flatMap((month) => days.map((day) => `${day} ${monthName(month)}`))
    return `on ${list(dates)}${interval === 1 ? "" : ` ${every}`}`
  }
  const restricted = [
    ...(byYearDay.length === 0 ? [] : [`day ${list(byYearDay.map(position))} of the year`]),
    ...(byMonthDay.length === 0 ? [] : [`day ${list(byMonthDay.map(position))} of the month`]),
    ...(byDay.length === 0 ? impliedDay(rule, start, parts) : [list(byDay.map(weekdayText))]),
    ...(byWeekNumber.length === 0 ? [] : [`in week ${list(byWeekNumber.map(weekText))}`]),
    ...(byMonth.length === 0 ? [] : [`in ${list(byMonth.map(monthName))}`])
  ]
  const [first] = restricted
  const within =
    first === undefined ? every : `${every} ${first.startsWith("in ") ? "" : "on "}${restricted.join(", ")}`
  const weeks =
    rule.weekStart === 0 || (byWeekNumber.length === 0 && (frequency !== "WEEKLY" || interval === 1))
      ? ""
      : `, weeks from ${long[rule.weekStart] ?? ""}`
  return `${within}${plain ? "" : `, of these the ${list(bySetPosition.map(position))}`}${weeks}`
}

const impliedDay = ({ frequency, byWeekNumber }: RecurrenceRule.Rule, start: CalendarDate, parts: number) => {
  const name = long[CivilDate.weekday(CivilDate.fromYmd(start.year, start.month, start.day))] ?? ""
  if (frequency === "WEEKLY") return [name]
  if (byWeekNumber.length > 0 && parts === byWeekNumber.length) return [name]
  if (frequency === "MONTHLY" && parts === 0) return [`day ${start.day} of the month`]
  return []
}

const long = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const

const weekdayText = ({ ordinal, weekday }: RecurrenceRule.WeekdayPart): string =>
  ordinal === null ? (long[weekday] ?? "") : `the ${position(ordinal)} ${long[weekday] ?? ""}`

/** The number of a week; one that is counted from the end of the year as its place. */
const weekText = (number: number): string => (number > 0 ? String(number) : `${position(number)} of the year`)

/** `1st`, `22nd`, `last`, `3rd to last`. */
const position = (number: number): string => {
  if (number === -1) return "last"
  const size = Math.abs(number)
  const tens = size % 100
  const ending = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][size % 10] ?? "th")
  return `${size}${ending}${number < 0 ? " to last" : ""}`
}

const list = (items: ReadonlyArray<string>): string =>
  items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`

const months = "January February March April May June July August September October November December".split(" ")

const monthName = (month: number): string => months[month - 1] ?? ""

const dateText = ({ day, month, year }: CalendarDate): string => `${day} ${monthName(month)} ${year}`

const ofDay = (epochDay: number): CalendarDate => {
  const { dayOfMonth, month, year } = CivilDate.parts(epochDay)
  return { year, month, day: dayOfMonth }
}

const minuteOf = (time: Time): number => time.hours * 60 + (time.minutes ?? 0)

const clock = (time: Time): string =>
  `${String(time.hours).padStart(2, "0")}:${String(time.minutes ?? 0).padStart(2, "0")}`
