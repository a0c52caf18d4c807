/**
 * Recurrence rules of RFC 5545 (section 3.3.10) as they are written: the frequencies DAILY, WEEKLY, MONTHLY and YEARLY
 * with every date part. Which dates a rule produces is decided in `Recurrence.ts`.
 */
import { Result } from "effect"
import * as CivilDate from "./CivilDate.ts"

export const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const
export type Frequency = (typeof frequencies)[number]

/** The weekdays as rules write them, Monday first. */
export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const

/** A weekday (Monday = 0), alone or as the n-th of a month or year; negative ordinals count from the end. */
export interface WeekdayPart {
  readonly weekday: number
  readonly ordinal: number | null
}

/** A rule as written. Absent lists are empty. */
export interface RecurrenceRule {
  readonly frequency: Frequency
  /** Larger than any number of periods when it was written with more digits than a number holds. */
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

/**
 * How long the text of a rule may be, in characters. All numbers that BYYEARDAY and BYSETPOS can list take 7,000; what
 * is longer only repeats itself.
 */
export const maxLength = 10_000

type Draft = { -readonly [K in keyof RecurrenceRule]: RecurrenceRule[K] }

/**
 * Reads a rule, with or without the prefix `RRULE:`. The failure is a sentence that says what is wrong with it.
 *
 * **Details**
 *
 * The grammar is that of the RFC, in capitals, and so are the combinations that it forbids. Of UNTIL, the date counts as
 * written; its time and zone do not.
 */
export const parse = (text: string): Result.Result<RecurrenceRule, string> => {
  if (text.length > maxLength) {
    return Result.fail(`Expected at most ${maxLength} characters, got ${text.length}`)
  }
  const given = new Map<string, string>()
  for (const part of text.replace(/^RRULE:/, "").split(";")) {
    const equals = part.indexOf("=")
    if (equals < 1 || equals === part.length - 1) {
      return Result.fail(`Expected parts such as FREQ=DAILY separated by semicolons, got "${shown(part)}"`)
    }
    const name = part.slice(0, equals)
    if (given.has(name)) return Result.fail(`${shown(name)} is given twice`)
    given.set(name, part.slice(equals + 1))
  }
  const written = given.get("FREQ")
  const frequency = frequencies.find((one) => one === written)
  if (frequency === undefined) {
    return Result.fail(
      `${written === undefined ? "FREQ is missing" : `FREQ=${shown(written)} is not supported`}: expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY`
    )
  }
  const rule: Draft = {
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
  for (const [name, value] of given) {
    const refused = readPart(rule, name, value)
    if (refused !== null) return Result.fail(refused)
  }
  const forbidden = mustNot(rule)
  return forbidden === null ? Result.succeed(rule) : Result.fail(forbidden)
}

/** Reads one part into the rule, and answers what is wrong with it or `null`. */
const readPart = (rule: Draft, name: string, written: string): string | null => {
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
      const weekStart = weekdays.findIndex((weekday) => weekday === written)
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
      const { field, maximum, signed } = numberLists[name]
      const numbers = readList(written, (item) => readNumber(item, maximum, signed))
      if (numbers === null) return refuse(`numbers from 1 to ${maximum}${signed ? `, or from -${maximum} to -1` : ""}`)
      rule[field] = numbers
      return null
    }
    case "BYHOUR":
    case "BYMINUTE":
    case "BYSECOND":
      return `${name} is not supported: the hours of a special entry are its active_start_time and active_end_time`
    default:
      return `${shown(name)} is not a part of a recurrence rule${/[a-z]/.test(name) ? ": rules are written in capitals" : ""}`
  }
}

const numberLists = {
  BYMONTH: { field: "byMonth", maximum: 12, signed: false },
  BYMONTHDAY: { field: "byMonthDay", maximum: 31, signed: true },
  BYYEARDAY: { field: "byYearDay", maximum: 366, signed: true },
  BYWEEKNO: { field: "byWeekNumber", maximum: 53, signed: true },
  BYSETPOS: { field: "bySetPosition", maximum: 366, signed: true }
} as const

/** What RFC 5545 says a rule must not combine. */
const mustNot = (rule: RecurrenceRule): string | null => {
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

const readUntil = (written: string): CivilDate.EpochDay | null => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T([01]\d|2[0-3])[0-5]\d([0-5]\d|60)Z?)?$/.exec(written)
  if (found === null) return null
  const date = { year: Number(found[1]), month: Number(found[2]), day: Number(found[3]) }
  return CivilDate.exists(date) ? CivilDate.epochDay(date) : null
}

const readWeekday = (item: string): WeekdayPart | null => {
  const found = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item)
  if (found === null) return null
  const ordinal = found[1] === undefined ? null : Number(found[1])
  if (ordinal !== null && (ordinal === 0 || Math.abs(ordinal) > 53)) return null
  return { weekday: weekdays.findIndex((weekday) => weekday === found[2]), ordinal }
}

/** Reads a number of at most as many digits as the largest one has, `maximum`. */
const readNumber = (item: string, maximum: number, signed: boolean): number | null => {
  const found = /^([+-]?)(\d{1,3})$/.exec(item)
  if (found === null || (found[1] !== "" && !signed) || item.length > `${found[1]}${maximum}`.length) return null
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
