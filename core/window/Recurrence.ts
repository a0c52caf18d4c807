/**
 * The dates that a recurrence rule produces (RFC 5545, section 3.3.10), year by year.
 *
 * The dates of one year follow from the rule and the shape of the year alone: the weekday of its first of January and
 * where the next 29 February lies. There are 28 shapes, so that years of a rule cost next to nothing however far apart
 * the start and the question are, and a rule that never produces a date costs no more than another one.
 */
import * as CivilDate from "./CivilDate.ts"
import type { RecurrenceRule, WeekdayPart } from "./RecurrenceRule.ts"
import * as YearSet from "./YearSet.ts"

/** The dates of a rule from a start on. */
export interface Recurrence {
  /** The dates of a year. */
  readonly inYear: (year: number) => YearSet.YearSet
  /** The first date at or after a day, in the years that windows may name; `null` when there is none. */
  readonly next: (day: CivilDate.EpochDay) => CivilDate.EpochDay | null
}

/** How many years are kept: those that one question can be about, and their neighbours. */
const maxKept = 8

/**
 * The dates that `rule` produces from `start` on. The start itself is among them only if the rule produces it.
 *
 * COUNT is exact: the dates since the start are counted, once, by years.
 */
export const make = (rule: RecurrenceRule, start: CivilDate.EpochDay): Recurrence => {
  const produced = producedBy(completed(rule, CivilDate.parts(start)), start)
  const startYear = CivilDate.parts(start).year
  const limited = (year: number, last: CivilDate.EpochDay): YearSet.YearSet =>
    YearSet.intersection(produced.inYear(year), YearSet.range(year, start, last))
  const lastCounted = rule.count === null ? () => null : counter(rule.count, startYear, produced.sizeOfYear, limited)
  const lastIn = (year: number): CivilDate.EpochDay => rule.until ?? lastCounted(year) ?? Number.POSITIVE_INFINITY

  const kept = new Map<number, YearSet.YearSet>()
  const inYear = (year: number): YearSet.YearSet => {
    const known = kept.get(year)
    if (known !== undefined) return known
    const found = year < startYear ? YearSet.empty : limited(year, lastIn(year))
    if (kept.size >= maxKept) kept.clear()
    kept.set(year, found)
    return found
  }

  const next = (day: CivilDate.EpochDay): CivilDate.EpochDay | null => {
    const from = Math.max(startYear, CivilDate.parts(day).year)
    const to = Math.min(CivilDate.years.last, from + 1 + produced.repeatsAfterYears)
    for (let year = from; year <= to; year++) {
      if (CivilDate.fromYmd(year, 1, 1) > lastIn(year)) return null
      if (produced.sizeOfYear(year) === 0) continue
      const found = YearSet.days(year, inYear(year)).find((one) => one >= day)
      if (found !== undefined) return found
    }
    return null
  }

  return { inYear, next }
}

/** Finds the day of the last of `count` dates, if it lies in a year or before it. Goes on from where it last stopped. */
const counter = (
  count: number,
  startYear: number,
  sizeOfYear: (year: number) => number,
  limited: (year: number, last: CivilDate.EpochDay) => YearSet.YearSet
): ((year: number) => CivilDate.EpochDay | null) => {
  let counted = 0
  let next = startYear
  let last: CivilDate.EpochDay | null = null
  return (year) => {
    for (; last === null && next <= year; next++) {
      const dates = () => limited(next, Number.POSITIVE_INFINITY)
      const size = next === startYear ? YearSet.size(dates()) : sizeOfYear(next)
      if (counted + size >= count) last = YearSet.days(next, dates())[count - counted - 1] ?? null
      counted += size
    }
    return last
  }
}

/** Fills in what the rule leaves out, from its start: the weekday, the day of the month, the month. */
const completed = (rule: RecurrenceRule, start: CivilDate.Parts): RecurrenceRule => {
  const { byDay, byMonth, byMonthDay, byWeekNumber, byYearDay, frequency } = rule
  if (byDay.length + byMonthDay.length + byYearDay.length > 0 || frequency === "DAILY") return rule
  if (frequency === "WEEKLY" || byWeekNumber.length > 0) {
    return { ...rule, byDay: [{ weekday: start.weekday, ordinal: null }] }
  }
  return {
    ...rule,
    byMonth: frequency === "YEARLY" && byMonth.length === 0 ? [start.month] : byMonth,
    byMonthDay: [start.dayOfMonth]
  }
}

/** What a rule produces without regard to where its series begins and ends. */
interface Produced {
  readonly inYear: (year: number) => YearSet.YearSet
  readonly sizeOfYear: (year: number) => number
  /** After so many years the same dates come again. */
  readonly repeatsAfterYears: number
}

const producedBy = (rule: RecurrenceRule, start: CivilDate.EpochDay): Produced => {
  const periods = periodsOf(rule, start)
  const byShape: Array<YearSet.YearSet> = []
  const everyPeriod = (year: number): YearSet.YearSet => {
    const shape = shapeOf(year)
    const known = byShape[shape]
    if (known !== undefined) return known
    const found = positioned(rule, year, candidates(rule, year))
    byShape[shape] = found
    return found
  }
  const inYear = (year: number): YearSet.YearSet =>
    rule.interval === 1 ? everyPeriod(year) : periods.choose(year, everyPeriod(year))

  const sizes = new Map<number, number>()
  const sizeOfYear = (year: number): number => {
    const key = periods.phase(year) * shapes + shapeOf(year)
    const known = sizes.get(key)
    if (known !== undefined) return known
    const size = YearSet.size(inYear(year))
    if (sizes.size >= maxSizes) sizes.clear()
    sizes.set(key, size)
    return size
  }
  return { inYear, sizeOfYear, repeatsAfterYears: (400 * rule.interval) / gcd(rule.interval, periods.in400Years) }
}

/** How many sizes are kept: all there are for the intervals that people use. */
const maxSizes = 2_048

const shapes = 28

/** Years of one shape have the same weekdays, lengths of months, and weeks around their ends. */
const shapeOf = (year: number): number => {
  const leap = CivilDate.isLeapYear(year)
    ? 1
    : CivilDate.isLeapYear(year - 1)
      ? 2
      : CivilDate.isLeapYear(year + 1)
        ? 3
        : 0
  return CivilDate.weekday(CivilDate.fromYmd(year, 1, 1)) * 4 + leap
}
