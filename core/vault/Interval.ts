/**
 * Lengths of time as PostgreSQL writes them (`01:30:00`, `7 days 00:00:00`, `1 day`, `1 year 2 mons`), and as ISO 8601 does
 * (`P1D`, `PT1H30M`).
 *
 * A month is a month of the calendar, a day is 24 hours, and the order of units does not matter.
 */
import { Schema } from "effect"

export interface Interval {
  readonly months: number
  readonly millis: number
}

const second = 1_000
const day = 86_400_000

/** The length of each unit. Its plural is accepted as well. */
const units: Readonly<Record<string, Interval>> = {
  year: { months: 12, millis: 0 },
  yr: { months: 12, millis: 0 },
  month: { months: 1, millis: 0 },
  mon: { months: 1, millis: 0 },
  week: { months: 0, millis: 7 * day },
  day: { months: 0, millis: day },
  hour: { months: 0, millis: 3_600 * second },
  hr: { months: 0, millis: 3_600 * second },
  minute: { months: 0, millis: 60 * second },
  min: { months: 0, millis: 60 * second },
  second: { months: 0, millis: second },
  sec: { months: 0, millis: second }
}

const maxMonths = 1_200
const maxMillis = 36_525 * day

/** The units of a duration in their order. Weeks and what is shorter may have a fraction, if nothing comes after it. */
const iso =
  /^p(?!$)(?:(\d+)y)?(?:(\d+)m)?(?:(\d+(?:[.,]\d{1,6})?)w)?(?:(\d+(?:[.,]\d{1,6})?)d)?(?:t(?!$)(?:(\d+(?:[.,]\d{1,6})?)h)?(?:(\d+(?:[.,]\d{1,6})?)m)?(?:(\d+(?:[.,]\d{1,6})?)s)?)?$/

const isoUnits = ["year", "month", "week", "day", "hour", "minute", "second"]

const parseIso = (written: string): Interval | null => {
  const parts = (iso.exec(written)?.slice(1) ?? []).map((part) => part?.replace(",", "."))
  const given = parts.filter((part) => part !== undefined)
  if (given.length === 0 || given.slice(0, -1).some((part) => part.includes("."))) return null
  let [months, millis] = [0, 0]
  isoUnits.forEach((name, index) => {
    const [unit, count] = [units[name], Number(parts[index] ?? 0)]
    months += count * (unit?.months ?? 0)
    millis += count * (unit?.millis ?? 0)
  })
  return bounded(months, millis)
}

/**
 * Parses an interval that is positive and at most a hundred years; `null` for any other text.
 */
export const parse = (text: string): Interval | null => {
  const written = text.trim().toLowerCase()
  if (written.length > 100) return null
  return written.startsWith("p") ? parseIso(written) : parsePostgres(written)
}

const parsePostgres = (written: string): Interval | null => {
  if (!/^((\d+ ?[a-z]+)( +|$))*(\d{1,7}:[0-5]\d(:[0-5]\d(\.\d{1,6})?)?)?$/.test(written)) return null
  let months = 0
  let millis = 0
  for (const [, count, name = ""] of written.matchAll(/(?<!\d)(\d+) ?([a-z]+)/g)) {
    const unit = units[name] ?? units[name.replace(/s$/, "")]
    if (unit === undefined) return null
    months += Number(count) * unit.months
    millis += Number(count) * unit.millis
  }
  const clock = written.match(/(?<!\d)(\d+):(\d+)(?::([\d.]+))?$/)
  if (clock !== null) {
    const [, hours, minutes, seconds = "0"] = clock
    millis += (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * second
  }
  return bounded(months, millis)
}

const bounded = (months: number, exact: number): Interval | null => {
  const millis = Math.round(exact)
  return (months === 0 && millis === 0) || months > maxMonths || millis > maxMillis ? null : { months, millis }
}

/** The instant an interval after another. A month after the last of January is the last of February. */
export const after = (at: number, { millis, months }: Interval): number => {
  const date = new Date(at)
  const dayOfMonth = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0)
  return date.getTime() + millis
}

/** An interval as text. It is stored unchanged. */
export const IntervalText = Schema.String.check(
  Schema.makeFilter((text) => parse(text) !== null, {
    message: "Expected an interval of time such as 01:30:00, 7 days 00:00:00 or P1DT12H, at most 100 years"
  })
)
