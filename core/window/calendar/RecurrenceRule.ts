/**
 * Recurrence rules of RFC 5545 (section 3.3.10) as they are written: frequencies DAILY, WEEKLY, MONTHLY and YEARLY with
 * every date part.
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

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

/**
 * Reads a rule, with or without the prefix `RRULE:`, in upper or lower case. The failure is a sentence that says what is wrong with it.
 */
export const parse = (text: string): Result.Result<Rule, string> => {
  // Names and enumerated values are case-insensitive (RFC 5545, section 3.1).
  const rule = text.toUpperCase()
  const value = rule.startsWith("RRULE:") ? rule.slice("RRULE:".length) : rule
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

/** The combinations that RFC 5545 forbids in a rule. */
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
