/**
 * Validates a window from user input and lists every problem in it.
 */
import { Result } from "effect"
import * as CivilDate from "./calendar/CivilDate.ts"
import * as Recurrence from "./calendar/Recurrence.ts"
import * as RecurrenceRule from "./calendar/RecurrenceRule.ts"
import * as Zone from "./calendar/Zone.ts"
import {
  type CalendarDate,
  Day,
  InvalidRunWindow,
  limits,
  type RegularPeriod,
  type RunWindow,
  type RunWindowIssue,
  type SpecialHours,
  type Time,
  type ValidRunWindow
} from "./Definition.ts"

type Fields = Readonly<Record<string, unknown>>

/** Notes a problem at a path. Answers `null`, so that a reader can note and give up in one step. */
type Note = (path: string, message: string) => null

/**
 * Reads a window of any origin. Every problem is reported at its path, none only because another one was found first.
 *
 * The window that is answered holds the known fields as they were sent; `null` counts as left out.
 */
export const read = (input: unknown): Result.Result<ValidRunWindow, InvalidRunWindow> => {
  const issues: Array<RunWindowIssue> = []
  const window = readWindow(input, (path, message) => {
    issues.push({ path, message })
    return null
  })
  return window !== null && issues.length === 0
    ? Result.succeed(window as ValidRunWindow)
    : Result.fail(new InvalidRunWindow({ issues }))
}

const readWindow = (input: unknown, note: Note): RunWindow | null => {
  if (!isFields(input)) return note("", `A run window must be an object, got ${shown(input)}`)
  const zone = readZone(input.time_zone, note)
  const regular = readAll(input.regular_hours, "regular_hours", limits.regularHours, note, readPeriod)
  const special = isAbsent(input.special_hours)
    ? undefined
    : readAll(input.special_hours, "special_hours", limits.specialHours, note, readSpecial)
  refuseEmpty(input.regular_hours, input.special_hours, note)
  refuseLongCounts(special ?? [], note)
  if (zone === null || regular === null || special === null) return null
  return {
    time_zone: zone,
    regular_hours: regular.filter((period) => period !== null),
    ...(special === undefined ? {} : { special_hours: special.filter((entry) => entry !== null) })
  }
}

const readZone = (value: unknown, note: Note): string | null => {
  const expected = 'an IANA time zone name such as "Europe/Berlin"'
  if (typeof value !== "string") return note("time_zone", `Expected ${expected}, got ${shown(value)}`)
  return Zone.isKnown(value) ? value : note("time_zone", `${shown(value)} is not known: expected ${expected}`)
}

/** Reads a list. Elements that cannot be read stay in it as `null`, so that positions are those of the input. */
const readAll = <A>(
  value: unknown,
  path: string,
  limit: number,
  note: Note,
  read: (fields: Fields, path: string, note: Note) => A | null
): ReadonlyArray<A | null> | null => {
  if (!Array.isArray(value)) return note(path, `Expected an array, got ${shown(value)}`)
  if (value.length > limit) return note(path, `Expected at most ${limit} elements, got ${value.length}`)
  return value.map((element: unknown, index) => {
    const at = `${path}[${index}]`
    return isFields(element) ? read(element, at, note) : note(at, `Expected an object, got ${shown(element)}`)
  })
}

const readPeriod = (fields: Fields, path: string, note: Note): RegularPeriod | null => {
  const startDay = readDay(fields, path, "active_start_day", note)
  const startTime = readTime(fields.active_start_time, `${path}.active_start_time`, note)
  const endDay = readDay(fields, path, "active_end_day", note)
  const endTime = readTime(fields.active_end_time, `${path}.active_end_time`, note)
  if (startDay !== null && endDay !== null) {
    const nights = CivilDate.modulo(dayIndex(endDay) - dayIndex(startDay), 7)
    if (nights > 1) {
      note(
        `${path}.active_end_day`,
        `Expected ${startDay} or the following day, got ${endDay}: a period spans at most one night`
      )
    } else if (nights === 0 && startTime !== null && endTime !== null && minuteOf(endTime) <= minuteOf(startTime)) {
      note(
        `${path}.active_end_time`,
        `Expected a time after ${clock(startTime)} on the same day, got ${clock(endTime)}`
      )
    }
  }
  if (startDay === null || startTime === null || endDay === null || endTime === null) return null
  return { active_start_day: startDay, active_start_time: startTime, active_end_day: endDay, active_end_time: endTime }
}

const readSpecial = (fields: Fields, path: string, note: Note): SpecialHours | null => {
  const active = fields.active
  if (typeof active !== "boolean") note(`${path}.active`, `Expected true or false, got ${shown(active)}`)
  const label = optional(fields.label, (value) => readLabel(value, `${path}.label`, note))
  const startDate = optional(fields.start_date, (value) => readDate(value, `${path}.start_date`, note))
  const endDate = optional(fields.end_date, (value) => readDate(value, `${path}.end_date`, note))
  const recurrence = optional(fields.recurrence, (value) => readRule(value, `${path}.recurrence`, note))
  const recurrenceStart = optional(fields.recurrence_start, (value) =>
    readDate(value, `${path}.recurrence_start`, note)
  )
  const startTime = optional(fields.active_start_time, (value) => readTime(value, `${path}.active_start_time`, note))
  const endTime = optional(fields.active_end_time, (value) => readTime(value, `${path}.active_end_time`, note))

  const dated = startDate !== undefined || endDate !== undefined
  const recurring = recurrence !== undefined || recurrenceStart !== undefined
  if (dated === recurring) {
    note(path, `Expected either start_date or recurrence with recurrence_start, ${dated ? "not both" : "got neither"}`)
  } else if (dated && startDate === undefined) {
    note(`${path}.start_date`, "Expected the date that end_date ends, got none")
  } else if (recurring && recurrence === undefined) {
    note(`${path}.recurrence`, "Expected the rule that recurrence_start starts, got none")
  } else if (recurring && recurrenceStart === undefined) {
    note(`${path}.recurrence_start`, "Expected the first date that the rule may apply to, got none")
  }
  if (startDate && endDate && epochDay(endDate) < epochDay(startDate)) {
    note(`${path}.end_date`, `Expected ${isoDate(startDate)} or a later date, got ${isoDate(endDate)}`)
  }
  if (active === true) {
    if (startTime === undefined)
      note(`${path}.active_start_time`, "Expected the time at which the entry opens, got none")
    if (endTime === undefined) note(`${path}.active_end_time`, "Expected the time at which the entry closes, got none")
    if (startTime && endTime && minuteOf(endTime) <= minuteOf(startTime)) {
      note(
        `${path}.active_end_time`,
        `Expected a time after ${clock(startTime)} on the same day, got ${clock(endTime)}`
      )
    }
  }
  return typeof active !== "boolean"
    ? null
    : {
        active,
        ...present("label", label),
        ...present("start_date", startDate),
        ...present("end_date", endDate),
        ...present("recurrence", recurrence),
        ...present("recurrence_start", recurrenceStart),
        ...present("active_start_time", startTime),
        ...present("active_end_time", endTime)
      }
}

const readDay = (fields: Fields, path: string, field: string, note: Note): Day | null => {
  const value = fields[field]
  const day = Day.literals.find((name) => name === value)
  return day ?? note(`${path}.${field}`, `Expected one of ${Day.literals.join(", ")}, got ${shown(value)}`)
}

const readTime = (value: unknown, path: string, note: Note): Time | null => {
  const [hours, minutes] = isFields(value) ? [value.hours, isAbsent(value.minutes) ? 0 : value.minutes] : []
  return isWhole(hours, 0, 23) && isWhole(minutes, 0, 59)
    ? { hours, minutes }
    : note(path, `Expected an object with hours from 0 to 23 and minutes from 0 to 59, got ${shown(value)}`)
}

const readDate = (value: unknown, path: string, note: Note): CalendarDate | null => {
  const { year, month, day } = isFields(value) ? value : ({} as Fields)
  return isWhole(year, 1, 9999) && isWhole(month, 1, 12) && isWhole(day, 1, 31) && CivilDate.exists(year, month, day)
    ? { year, month, day }
    : note(path, `Expected year, month and day of a date from year 1 to 9999 that exists, got ${shown(value)}`)
}

const readLabel = (value: unknown, path: string, note: Note): string | null => {
  if (typeof value !== "string") return note(path, `Expected a text, got ${shown(value)}`)
  return value.length <= limits.label
    ? value
    : note(path, `Expected at most ${limits.label} characters, got ${value.length}`)
}

const readRule = (value: unknown, path: string, note: Note): string | null => {
  if (typeof value !== "string")
    return note(path, `Expected a recurrence rule such as FREQ=WEEKLY, got ${shown(value)}`)
  const parsed = RecurrenceRule.parse(value)
  return Result.isSuccess(parsed) ? value : note(path, parsed.failure)
}

/** A window that can never open by its own words is a mistake. Wrong types are reported elsewhere. */
const refuseEmpty = (regular: unknown, special: unknown, note: Note): void => {
  if (!Array.isArray(regular) || regular.length > 0) return
  const opens = Array.isArray(special) && special.some((entry: unknown) => isFields(entry) && entry.active === true)
  if (!opens) note("regular_hours", "Expected at least one regular period or one active special entry, got none")
}

/**
 * Counting date by date from a distant start is exact, and takes time in proportion: about 30 ms for 800,000 dates,
 * from the year 1 to today. This bounds the count for all entries of a window together.
 */
const maxCountedDays = 800_000

const countedUntil = CivilDate.fromYmd(2100, 1, 1)

const refuseLongCounts = (special: ReadonlyArray<SpecialHours | null>, note: Note): void => {
  let counted = 0
  for (const [index, entry] of special.entries()) {
    if (!entry?.recurrence || !entry.recurrence_start) continue
    const rule = Result.getOrNull(RecurrenceRule.parse(entry.recurrence))
    if (rule === null) continue
    counted += Recurrence.countingCost(rule, epochDay(entry.recurrence_start), countedUntil)
    if (counted > maxCountedDays) {
      note(
        `special_hours[${index}].recurrence`,
        "COUNT takes too long to follow from so early a recurrence_start: use UNTIL, or a later recurrence_start"
      )
      return
    }
  }
}

const optional = <A>(value: unknown, read: (value: unknown) => A): A | undefined =>
  isAbsent(value) ? undefined : read(value)

const present = <K extends string, A>(key: K, value: A | null | undefined): { readonly [P in K]?: A } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: A })

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isWhole = (value: unknown, minimum: number, maximum: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum

const dayIndex = (day: Day): number => Day.literals.indexOf(day)

const minuteOf = (time: Time): number => time.hours * 60 + (time.minutes ?? 0)

const epochDay = (date: CalendarDate): CivilDate.EpochDay => CivilDate.fromYmd(date.year, date.month, date.day)

const digits = (value: number, length = 2): string => String(value).padStart(length, "0")

const clock = (time: Time): string => `${digits(time.hours)}:${digits(time.minutes ?? 0)}`

const isoDate = (date: CalendarDate): string => `${digits(date.year, 4)}-${digits(date.month)}-${digits(date.day)}`

/** A value of the input as a message may show it: short, and on one line. */
const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  const text = typeof value === "string" ? JSON.stringify(value) : describe(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return "an array"
  if (typeof value !== "object" || value === null) return String(value)
  const fields = Object.entries(value)
    .slice(0, 4)
    .map(([key, field]) => `${key}: ${typeof field === "object" ? "…" : String(field)}`)
  return `{ ${fields.join(", ")} }`
}
