/**
 * Recurrence rules of RFC 5545 with times of day: dates as run windows read them, at `BYHOUR` and `BYMINUTE`, or at the
 * time of day of the start where the rule leaves these out.
 */
import { Result } from "effect"
import * as CivilDate from "../window/calendar/CivilDate.ts"
import * as Recurrence from "../window/calendar/Recurrence.ts"
import * as RecurrenceRule from "../window/calendar/RecurrenceRule.ts"
import * as LocalTimes from "./LocalTimes.ts"

/** The number of characters that a rule may have. */
export const maxLength = 2_048

export interface Start {
  readonly day: CivilDate.EpochDay
  /** Minutes since midnight. */
  readonly time: number
}

/** A parsed rule. */
export interface RecurrenceTimes {
  readonly onDate: (date: CivilDate.Parts) => boolean
  /** Minutes since midnight, ascending. */
  readonly times: ReadonlyArray<number>
  /** The first and the last local time that the start and a local `UNTIL` allow, as if they were UTC. */
  readonly first: number
  readonly last: number
  /** The last instant that an `UNTIL` in UTC allows; infinite without one. */
  readonly until: number
}

/**
 * Parses a rule. The failure is one sentence that names the problem.
 *
 * **Details**
 *
 * Times before the start are left out on the date of the start. An `UNTIL` with a time is an instant, in UTC where it
 * ends in `Z`, otherwise in the zone; an `UNTIL` that is a date includes that date.
 */
export const parse = (text: string, start: Start): Result.Result<RecurrenceTimes, string> => {
  if (text.length > maxLength) return Result.fail(`Expected at most ${maxLength} characters, got ${text.length}`)
  if (/\n|DTSTART/i.test(text)) {
    return Result.fail(
      "Expected one rule such as FREQ=WEEKLY;BYDAY=MO: recurrence_start, recurrence_time and time_zone take the place of DTSTART"
    )
  }
  const parts = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .split(";")
  const [hours, minutes, seconds] = ["BYHOUR", "BYMINUTE", "BYSECOND"].map((name) => take(parts, name))
  if (seconds !== undefined && seconds !== "0")
    return Result.fail("BYSECOND is not supported: runs start at whole minutes")
  const atHours = hours === undefined ? [Math.floor(start.time / 60)] : numbers(hours, 23)
  if (atHours === null) return Result.fail("BYHOUR is not valid: expected numbers from 0 to 23")
  const atMinutes = minutes === undefined ? [start.time % 60] : numbers(minutes, 59)
  if (atMinutes === null) return Result.fail("BYMINUTE is not valid: expected numbers from 0 to 59")
  const times = atHours.flatMap((hour) => atMinutes.map((minute) => hour * 60 + minute))

  const until = untilOf(parts)
  const read = RecurrenceRule.parse(parts.join(";"))
  if (Result.isFailure(read)) {
    return Result.fail(
      /^FREQ=(HOURLY|MINUTELY)/.test(read.failure) ? `${read.failure}, or cron for intervals` : read.failure
    )
  }
  const rule = until === null ? read.success : { ...read.success, until: until.day + 1 }
  if (times.length > 1 && rule.count !== null)
    return Result.fail("COUNT is only allowed with one time of day: use UNTIL")
  if (times.length > 1 && rule.bySetPosition.length > 0) {
    return Result.fail("BYSETPOS is only allowed with one time of day")
  }
  if (Recurrence.countingCost(rule, start.day, start.day + LocalTimes.horizonDays) > maxCounted) {
    return Result.fail("COUNT takes too long to follow: use UNTIL")
  }
  const series = Recurrence.series(rule, start.day)
  return Result.succeed({
    onDate: series.has,
    times,
    first: start.day * dayMillis + start.time * 60_000,
    last: until === null || until.isUtc ? Number.POSITIVE_INFINITY : until.local,
    until: until?.isUtc === true ? until.local : Number.POSITIVE_INFINITY
  })
}

const dayMillis = 86_400_000

/** How many dates may be examined to count those of a rule. */
const maxCounted = 200_000

/** Takes the value of a part out of the parts; `undefined` where there is none. A second one stays, and is refused. */
const take = (parts: Array<string>, name: string): string | undefined => {
  const index = parts.findIndex((part) => part.startsWith(`${name}=`))
  return index < 0 ? undefined : parts.splice(index, 1)[0]?.slice(name.length + 1)
}

const numbers = (text: string, maximum: number): ReadonlyArray<number> | null => {
  const items = text.split(",")
  if (!items.every((item) => /^\d{1,2}$/.test(item) && Number(item) <= maximum)) return null
  return [...new Set(items.map(Number))].sort((a, b) => a - b)
}

/** An `UNTIL` that has a time. */
const untilOf = (parts: ReadonlyArray<string>) => {
  const written = parts.find((part) => part.startsWith("UNTIL="))
  const found = /^UNTIL=(\d{4})(\d{2})(\d{2})T([01]\d|2[0-3])([0-5]\d)([0-5]\d)(Z?)$/.exec(written ?? "")
  if (found === null) return null
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  if (!CivilDate.exists(year, month, date)) return null
  const day = CivilDate.fromYmd(year, month, date)
  return { day, local: day * dayMillis + ((hour * 60 + minute) * 60 + second) * 1_000, isUtc: found[7] === "Z" }
}
