/**
 * Recurrence rules of RFC 5545 (section 3.3.10) on dates: frequencies DAILY, WEEKLY, MONTHLY and YEARLY with every date
 * part.
 *
 * A rule is a predicate on dates, not a list of them, so a rule that never matches costs nothing and cannot hang. Only
 * COUNT needs the dates before; they are counted lazily, from the start to the date that is asked for.
 */
import { Result } from "effect"
import * as CivilDate from "./CivilDate.ts"

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"

/** A weekday (Monday = 0), alone or as the n-th of a month or year; negative ordinals count from the end. */
export interface WeekdayPart {
  readonly weekday: number
  readonly ordinal: number | null
}

/** A rule as written. Absent lists are empty. */
export interface Rule {
  readonly frequency: Frequency
  readonly interval: number
  readonly count: number | null
  readonly until: CivilDate.EpochDay | null
  readonly weekStart: number
  readonly byMonth: ReadonlyArray<number>
  readonly byMonthDay: ReadonlyArray<number>
  readonly byYearDay: ReadonlyArray<number>
  readonly byWeekNumber: ReadonlyArray<number>
  readonly byDay: ReadonlyArray<WeekdayPart>
  readonly bySetPosition: ReadonlyArray<number>
}

/** The dates of a rule from a start on. */
export interface Series {
  readonly rule: Rule
  readonly start: CivilDate.EpochDay
  /** Tells whether the series holds a date. */
  readonly has: (date: CivilDate.Parts) => boolean
}

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

/**
 * Reads a rule, with or without the prefix `RRULE:`. The failure is a sentence that says what is wrong with it.
 */
export const parse = (text: string): Result.Result<Rule, string> => {
  const value = text.startsWith("RRULE:") ? text.slice("RRULE:".length) : text
  const given = new Map<string, string>()
  for (const part of value.split(";")) {
    const equals = part.indexOf("=")
    if (equals < 1 || equals === part.length - 1) {
      return Result.fail(`Expected parts such as FREQ=DAILY separated by semicolons, got "${shown(part)}"`)
    }
    const name = part.slice(0, equals)
    if (given.has(name)) return Result.fail(`${shown(name)} is given twice`)
    given.set(name, part.slice(equals + 1))
  }
  const frequency = given.get("FREQ")
  if (frequency === undefined) return Result.fail("FREQ is missing: expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY")
  if (!isFrequency(frequency)) {
    return Result.fail(`FREQ=${shown(frequency)} is not supported: expected DAILY, WEEKLY, MONTHLY or YEARLY`)
  }
  const read: { -readonly [K in keyof Rule]: Rule[K] } = {
    frequency,
    interval: 1,
    count: null,
    until: null,
    weekStart: 0,
    byMonth: [],
    byMonthDay: [],
    byYearDay: [],
    byWeekNumber: [],
    byDay: [],
    bySetPosition: []
  }
  for (const [name, written] of given) {
    const refused = readPart(read, name, written)
    if (refused !== null) return Result.fail(refused)
  }
  const forbidden = mustNot(read)
  return forbidden === null ? Result.succeed(read) : Result.fail(forbidden)
}

/** Reads one part into the rule, and answers what is wrong with it or `null`. */
const readPart = (rule: { -readonly [K in keyof Rule]: Rule[K] }, name: string, written: string): string | null => {
  const refuse = (expected: string) => `${name}=${shown(written)} is not valid: expected ${expected}`
  switch (name) {
    case "FREQ":
      return null
    case "INTERVAL":
    case "COUNT": {
      const number = /^[0-9]+$/.test(written) ? Number(written) : 0
      if (number < 1) return refuse("a whole number of at least 1")
      rule[name === "COUNT" ? "count" : "interval"] = number
      return null
    }
    case "UNTIL": {
      const day = readUntil(written)
      if (day === null) return refuse("a date such as 20261231, or a date-time such as 20261231T235959Z")
      rule.until = day
      return null
    }
    case "WKST": {
      const weekStart = weekdays.indexOf(written)
      if (weekStart < 0) return refuse("a weekday such as MO")
      rule.weekStart = weekStart
      return null
    }
    case "BYDAY": {
      const days = readList(written, readWeekday)
      if (days === null) return refuse("weekdays such as MO, 1MO or -1FR")
      rule.byDay = days
      return null
    }
    case "BYMONTH":
    case "BYMONTHDAY":
    case "BYYEARDAY":
    case "BYWEEKNO":
    case "BYSETPOS": {
      const { field, digits, maximum, signed } = numberLists[name]
      const numbers = readList(written, (item) => readNumber(item, digits, maximum, signed))
      if (numbers === null) return refuse(`numbers from 1 to ${maximum}${signed ? `, or from -${maximum} to -1` : ""}`)
      rule[field] = numbers
      return null
    }
    case "BYHOUR":
    case "BYMINUTE":
    case "BYSECOND":
      return `${name} is not supported: the hours of a special entry are its active_start_time and active_end_time`
    default:
      return `${shown(name)} is not a part of a recurrence rule`
  }
}

const numberLists = {
  BYMONTH: { field: "byMonth", digits: 2, maximum: 12, signed: false },
  BYMONTHDAY: { field: "byMonthDay", digits: 2, maximum: 31, signed: true },
  BYYEARDAY: { field: "byYearDay", digits: 3, maximum: 366, signed: true },
  BYWEEKNO: { field: "byWeekNumber", digits: 2, maximum: 53, signed: true },
  BYSETPOS: { field: "bySetPosition", digits: 3, maximum: 366, signed: true }
} as const

/** What RFC 5545 says a rule must not combine. */
const mustNot = (rule: Rule): string | null => {
  const ordinals = rule.byDay.some((part) => part.ordinal !== null)
  const others =
    rule.byMonth.length + rule.byMonthDay.length + rule.byYearDay.length + rule.byWeekNumber.length + rule.byDay.length
  if (rule.count !== null && rule.until !== null) return "COUNT and UNTIL must not be given together"
  if (rule.byWeekNumber.length > 0 && rule.frequency !== "YEARLY") return "BYWEEKNO is only allowed with FREQ=YEARLY"
  if (rule.byYearDay.length > 0 && rule.frequency !== "YEARLY") return "BYYEARDAY is only allowed with FREQ=YEARLY"
  if (rule.byMonthDay.length > 0 && rule.frequency === "WEEKLY") return "BYMONTHDAY is not allowed with FREQ=WEEKLY"
  if (ordinals && rule.frequency !== "MONTHLY" && rule.frequency !== "YEARLY") {
    return "BYDAY with a number is only allowed with FREQ=MONTHLY or FREQ=YEARLY"
  }
  if (ordinals && rule.byWeekNumber.length > 0) return "BYDAY with a number is not allowed together with BYWEEKNO"
  if (rule.bySetPosition.length > 0 && others === 0) return "BYSETPOS needs another BY part to choose from"
  return null
}

/** The dates that `rule` produces from `start` on. */
export const series = (rule: Rule, start: CivilDate.EpochDay): Series => {
  const first = CivilDate.parts(start)
  const candidate = candidates(rule, first)
  const inPeriod = periods(rule, first)
  const chosen = rule.bySetPosition.length === 0 ? candidate : positioned(rule, candidate)
  const produced = (date: CivilDate.Parts) => inPeriod(date) && chosen(date)
  const counted = rule.count === null ? null : counter(rule, start, rule.count, produced)
  return {
    rule,
    start,
    has: (date) =>
      date.day >= start &&
      (rule.until === null || date.day <= rule.until) &&
      produced(date) &&
      (counted === null || counted(date.day))
  }
}

/**
 * How many dates must be looked at to count the series up to `day`: the cost of the first question about that day. Zero
 * for a series without COUNT.
 */
export const countingCost = (rule: Rule, start: CivilDate.EpochDay, day: CivilDate.EpochDay): number => {
  if (rule.count === null || day <= start || arithmeticCount(rule, start) !== null) return 0
  const perPeriod = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[rule.frequency]
  return Math.min(
    (day - start) / (rule.frequency === "DAILY" ? rule.interval : 1),
    perPeriod * rule.count * rule.interval
  )
}

/** Tells whether a date lies in a period that the interval does not skip, counted from the one that holds the start. */
const periods = (rule: Rule, first: CivilDate.Parts): ((date: CivilDate.Parts) => boolean) => {
  const { interval } = rule
  if (interval === 1) return () => true
  switch (rule.frequency) {
    case "DAILY":
      return (date) => (date.day - first.day) % interval === 0
    case "WEEKLY": {
      const firstWeek = CivilDate.startOfWeek(first.day, rule.weekStart)
      return (date) => ((CivilDate.startOfWeek(date.day, rule.weekStart) - firstWeek) / 7) % interval === 0
    }
    case "MONTHLY":
      return (date) => ((date.year - first.year) * 12 + date.month - first.month) % interval === 0
    case "YEARLY":
      return (date) => (date.year - first.year) % interval === 0
  }
}

/** Tells whether a date is in the set of its period, before BYSETPOS. What the rule leaves out comes from the start. */
const candidates = (rule: Rule, first: CivilDate.Parts): ((date: CivilDate.Parts) => boolean) => {
  const { byDay, byMonthDay, byWeekNumber, byYearDay, frequency } = rule
  const tests: Array<(date: CivilDate.Parts) => boolean> = []
  const yearlyByDate =
    frequency === "YEARLY" && byWeekNumber.length + byYearDay.length + byMonthDay.length + byDay.length === 0
  if (rule.byMonth.length > 0) {
    const months = new Set(rule.byMonth)
    tests.push((date) => months.has(date.month))
  } else if (yearlyByDate) {
    tests.push((date) => date.month === first.month)
  }
  if (byMonthDay.length > 0) tests.push(inMonth(byMonthDay))
  if (byYearDay.length > 0) tests.push(inYear(byYearDay))
  if (byWeekNumber.length > 0) tests.push(inWeeks(byWeekNumber, rule.weekStart))
  if (byDay.length > 0) {
    tests.push(onWeekdays(byDay, frequency === "YEARLY" && rule.byMonth.length === 0 ? "year" : "month"))
  } else if (frequency === "WEEKLY" || (byWeekNumber.length > 0 && byYearDay.length + byMonthDay.length === 0)) {
    tests.push((date) => date.weekday === first.weekday)
  } else if (yearlyByDate || (frequency === "MONTHLY" && byMonthDay.length === 0)) {
    tests.push((date) => date.dayOfMonth === first.dayOfMonth)
  }
  return (date) => tests.every((test) => test(date))
}

const inMonth = (days: ReadonlyArray<number>) => {
  const set = new Set(days)
  return (date: CivilDate.Parts) =>
    set.has(date.dayOfMonth) || set.has(date.dayOfMonth - CivilDate.daysInMonth(date.year, date.month) - 1)
}

const inYear = (days: ReadonlyArray<number>) => {
  const set = new Set(days)
  return (date: CivilDate.Parts) =>
    set.has(date.dayOfYear) || set.has(date.dayOfYear - CivilDate.daysInYear(date.year) - 1)
}

const inWeeks = (numbers: ReadonlyArray<number>, weekStart: number) => {
  const set = new Set(numbers)
  return (date: CivilDate.Parts) => {
    const { week, weeks } = CivilDate.weekOfYear(date, weekStart)
    return set.has(week) || set.has(week - weeks - 1)
  }
}

const onWeekdays = (days: ReadonlyArray<WeekdayPart>, within: "month" | "year") => {
  const plain = new Set(days.filter((part) => part.ordinal === null).map((part) => part.weekday))
  const ordinals = new Set(
    days.filter((part) => part.ordinal !== null).map((part) => ordinalKey(part.weekday, part.ordinal ?? 0))
  )
  return (date: CivilDate.Parts) => {
    if (plain.has(date.weekday)) return true
    if (ordinals.size === 0) return false
    const position = within === "month" ? date.dayOfMonth : date.dayOfYear
    const length = within === "month" ? CivilDate.daysInMonth(date.year, date.month) : CivilDate.daysInYear(date.year)
    return (
      ordinals.has(ordinalKey(date.weekday, Math.ceil(position / 7))) ||
      ordinals.has(ordinalKey(date.weekday, -Math.ceil((length - position + 1) / 7)))
    )
  }
}

const ordinalKey = (weekday: number, ordinal: number): number => ordinal * 7 + weekday

/** Chooses by position from the whole set of the date's period. The set of the last period asked about is kept. */
const positioned = (
  rule: Rule,
  candidate: (date: CivilDate.Parts) => boolean
): ((date: CivilDate.Parts) => boolean) => {
  let known = { from: Number.NaN, chosen: new Set<number>() }
  return (date) => {
    if (!candidate(date)) return false
    const { from, length } = periodOf(rule, date)
    if (known.from !== from) {
      const days: Array<number> = []
      for (let day = from; day < from + length; day++) if (candidate(CivilDate.parts(day))) days.push(day)
      const chosen = rule.bySetPosition.flatMap((position) => days.at(position > 0 ? position - 1 : position) ?? [])
      known = { from, chosen: new Set(chosen) }
    }
    return known.chosen.has(date.day)
  }
}

const periodOf = (rule: Rule, date: CivilDate.Parts): { readonly from: number; readonly length: number } => {
  switch (rule.frequency) {
    case "DAILY":
      return { from: date.day, length: 1 }
    case "WEEKLY":
      return { from: CivilDate.startOfWeek(date.day, rule.weekStart), length: 7 }
    case "MONTHLY":
      return { from: date.day - date.dayOfMonth + 1, length: CivilDate.daysInMonth(date.year, date.month) }
    case "YEARLY":
      return { from: date.day - date.dayOfYear + 1, length: CivilDate.daysInYear(date.year) }
  }
}

/** Tells whether a produced date is among the first `count`. */
const counter = (
  rule: Rule,
  start: CivilDate.EpochDay,
  count: number,
  produced: (date: CivilDate.Parts) => boolean
): ((day: CivilDate.EpochDay) => boolean) => {
  const arithmetic = arithmeticCount(rule, start)
  if (arithmetic !== null) return (day) => arithmetic(day) <= count
  // Counts onwards from where it last stopped.
  let counted = 0
  let next = CivilDate.parts(start)
  let last: CivilDate.EpochDay | null = null
  return (day) => {
    while (last === null && next.day <= day) {
      if (produced(next) && ++counted === count) last = next.day
      next = CivilDate.following(next)
    }
    return last === null || day <= last
  }
}

/** How many dates a rule produces up to a day it produces, where that follows from the distance alone. */
const arithmeticCount = (rule: Rule, start: CivilDate.EpochDay): ((day: CivilDate.EpochDay) => number) | null => {
  const { byDay, frequency, interval, weekStart } = rule
  if (rule.byMonth.length + rule.byMonthDay.length + rule.bySetPosition.length > 0) return null
  if (frequency === "DAILY" && byDay.length === 0) return (day) => (day - start) / interval + 1
  if (frequency !== "WEEKLY") return null
  const days = new Set(byDay.length === 0 ? [CivilDate.weekday(start)] : byDay.map((part) => part.weekday))
  const offsets = [...days].map((weekday) => CivilDate.modulo(weekday - weekStart, 7))
  const firstWeek = CivilDate.startOfWeek(start, weekStart)
  const before = offsets.filter((offset) => firstWeek + offset < start).length
  return (day) => {
    const week = CivilDate.startOfWeek(day, weekStart)
    const periods = (week - firstWeek) / 7 / interval
    return periods * offsets.length + offsets.filter((offset) => week + offset <= day).length - before
  }
}

const isFrequency = (text: string): text is Frequency =>
  text === "DAILY" || text === "WEEKLY" || text === "MONTHLY" || text === "YEARLY"

const readUntil = (written: string): CivilDate.EpochDay | null => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)Z?)?$/.exec(written)
  if (found === null) return null
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  return CivilDate.exists(year, month, day) ? CivilDate.fromYmd(year, month, day) : null
}

const readWeekday = (item: string): WeekdayPart | null => {
  const found = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item)
  if (found === null) return null
  const ordinal = found[1] === undefined ? null : Number(found[1])
  if (ordinal !== null && (ordinal === 0 || Math.abs(ordinal) > 53)) return null
  return { weekday: weekdays.indexOf(found[2] ?? ""), ordinal }
}

const readNumber = (item: string, digits: number, maximum: number, signed: boolean): number | null => {
  if (!/^[+-]?\d+$/.test(item) || (!signed && !/^\d/.test(item)) || item.replace(/^[+-]/, "").length > digits)
    return null
  const number = Number(item)
  return number !== 0 && Math.abs(number) <= maximum ? number : null
}

const readList = <A>(written: string, read: (item: string) => A | null): ReadonlyArray<A> | null => {
  const items: Array<A> = []
  for (const item of written.split(",")) {
    const value = read(item)
    if (value === null) return null
    items.push(value)
  }
  return items
}

/** User input as a message may show it. */
const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
