/**
 * The dates of a recurrence rule.
 *
 * A rule is a predicate on dates, not a list of them, so a rule that never matches costs nothing and cannot hang. Only
 * COUNT needs the dates before; they are counted lazily, from the start to the date that is asked for.
 */
import * as CivilDate from "./CivilDate.ts"
import type { Rule, WeekdayPart } from "./RecurrenceRule.ts"

/** The dates of a rule from a start on. */
export interface Series {
  readonly rule: Rule
  readonly start: CivilDate.EpochDay
  readonly prefilter: DatePrefilter
  /** Returns whether the series holds a date. */
  readonly has: (date: CivilDate.Parts) => boolean
}

/** The dates that `rule` produces from `start` on. */
export const series = (rule: Rule, start: CivilDate.EpochDay): Series => {
  const first = CivilDate.parts(start)
  const candidate = candidates(rule, first)
  const inPeriod = periods(rule, first)
  const chosen = rule.bySetPosition.length === 0 ? candidate : positioned(rule, candidate)
  const prefilter = prefilterOf(rule, first)
  const produced = (date: CivilDate.Parts) => passes(prefilter, date) && inPeriod(date) && chosen(date)
  const counted = rule.count === null ? null : counter(rule, start, rule.count, produced)
  return {
    rule,
    start,
    prefilter,
    has: (date) =>
      date.day >= start &&
      (rule.until === null || date.day <= rule.until) &&
      produced(date) &&
      (counted === null || counted(date.day))
  }
}

/** Choosing by position examines all dates of a period for each of them, which takes about four times as long. */
const positionWeight = 4

/**
 * How many dates must be examined to count the series up to `day`: the cost of the first question about that day. Zero
 * for a series without COUNT. A date of a rule with BYSETPOS counts `positionWeight` times.
 */
export const countingCost = (rule: Rule, start: CivilDate.EpochDay, day: CivilDate.EpochDay): number => {
  if (rule.count === null || day <= start || arithmeticCount(rule, start) !== null) return 0
  const perPeriod = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[rule.frequency]
  const dates = Math.min(
    (day - start) / (rule.frequency === "DAILY" ? rule.interval : 1),
    perPeriod * rule.count * rule.interval
  )
  return dates * (rule.bySetPosition.length > 0 ? positionWeight : 1)
}

/**
 * Excludes most dates by their month, day of month and weekday alone: one bit for each that may match. Windows may have
 * hundreds of rules that are each asked about hundreds of dates, so this comes first. A date that passes still needs
 * the full check.
 */
export interface DatePrefilter {
  readonly months: number
  readonly monthDays: number
  readonly weekdays: number
}

const every = ~0

/** Lets every date through. */
export const openPrefilter: DatePrefilter = { months: every, monthDays: every, weekdays: every }

export const passes = (prefilter: DatePrefilter, date: CivilDate.Parts): boolean =>
  ((prefilter.months >> date.month) &
    (prefilter.monthDays >> date.dayOfMonth) &
    (prefilter.weekdays >> date.weekday) &
    1) ===
  1

const prefilterOf = (rule: Rule, first: CivilDate.Parts): DatePrefilter => {
  const bits = (numbers: ReadonlyArray<number>) => numbers.reduce((mask, number) => mask | (1 << number), 0)
  const { byDay, byMonth, byMonthDay, frequency } = rule
  // A day counted from the end of a month lies where the month's length puts it.
  const days = byMonthDay.flatMap((day) =>
    day > 0 ? [day] : [28, 29, 30, 31].map((length) => Math.max(length + 1 + day, 0))
  )
  const impliedDay = frequency === "MONTHLY" && byMonthDay.length + byDay.length === 0
  const impliedWeekday = frequency === "WEEKLY" && byDay.length === 0
  return {
    months: byMonth.length === 0 ? every : bits(byMonth),
    monthDays: impliedDay ? 1 << first.dayOfMonth : byMonthDay.length === 0 ? every : bits(days),
    weekdays: impliedWeekday ? 1 << first.weekday : byDay.length === 0 ? every : bits(byDay.map((part) => part.weekday))
  }
}

/**
 * Returns whether a date lies in a period that the interval does not skip, counted from the one that holds the start.
 */
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

/**
 * Returns whether a date is in the set of its period, before BYSETPOS. Parts that the rule leaves out come from the
 * start.
 */
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

/** Returns whether a produced date is among the first `count`. */
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
