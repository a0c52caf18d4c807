/**
 * Validates a window from user input and lists every problem in it.
 */
import { Option, Result, Schema, SchemaAST } from "effect"
import * as CivilDate from "./calendar/CivilDate.ts"
import * as Recurrence from "./calendar/Recurrence.ts"
import * as RecurrenceRule from "./calendar/RecurrenceRule.ts"
import * as Zone from "./calendar/Zone.ts"
import {
  type CalendarDate,
  Day,
  InvalidRunWindow,
  limits,
  RegularPeriod,
  RunWindow,
  type RunWindowIssue,
  SpecialHours,
  type Time,
  type ValidRunWindow
} from "./Definition.ts"
import * as UnknownFields from "./UnknownFields.ts"

type Fields = Readonly<Record<string, unknown>>

/** The fields of an `A` that could be read. One that is wrong is `null`, one that was left out is missing. */
type Found<A> = { readonly [K in keyof A]?: A[K] | null }

type Note = (path: string, message: string) => void

/**
 * Reads a window of any origin. Every problem is reported at its path, none only because another one was found first.
 *
 * The window that is answered holds the known fields as they were sent; `null` counts as left out.
 */
export const read = (input: unknown): Result.Result<ValidRunWindow, InvalidRunWindow> => {
  const issues: Array<RunWindowIssue> = []
  const window = readWindow(input, (path, message) => {
    issues.push({ path, message })
  })
  return issues.length === 0
    ? // Without a problem, every field that a window must have was found.
      Result.succeed(window as ValidRunWindow)
    : Result.fail(new InvalidRunWindow({ issues: hinted(issues, UnknownFields.of(RunWindow, input)) }))
}

/**
 * Says of each misspelt field what was probably meant: beside the problem of that field, or else beside the first one of
 * the same object.
 */
const hinted = (
  issues: ReadonlyArray<RunWindowIssue>,
  unknown: ReadonlyArray<UnknownFields.UnknownField>
): ReadonlyArray<RunWindowIssue> => {
  const hints = new Map<number, string>()
  for (const { meant, message, name, path } of unknown) {
    if (meant === null) continue
    const parent = parentOf(path)
    const own = issues.findIndex((issue) => issue.path === `${parent}${meant}`)
    const index = own >= 0 ? own : issues.findIndex((issue) => parentOf(issue.path) === parent)
    if (index >= 0) hints.set(index, `${hints.get(index) ?? ""}; ${shown(name)} is not known: ${message}`)
  }
  return issues.map((issue, index) => ({ ...issue, message: `${issue.message}${hints.get(index) ?? ""}` }))
}

/** The path of the object that a path is a field of, with the dot after it. */
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf(".") + 1)

const readWindow = (input: unknown, note: Note): Found<RunWindow> => {
  if (!isFields(input)) {
    note("", `A run window must be an object, got ${shown(input)}`)
    return {}
  }
  const { time_zone } = RunWindow.fields
  const zone = readValue(time_zone, input.time_zone, "time_zone", note)
  if (typeof zone === "string" && !Zone.isKnown(zone)) {
    note("time_zone", `${shown(zone)} is not known: expected ${expectedOf(time_zone)}`)
  }
  const regular = readAll(input.regular_hours, "regular_hours", limits.regularHours, note, readPeriod)
  const special = isAbsent(input.special_hours)
    ? []
    : readAll(input.special_hours, "special_hours", limits.specialHours, note, readSpecial)
  refuseEmpty(input.regular_hours, input.special_hours, note)
  refuseLongCounts(special, note)
  return {
    time_zone: zone,
    // Without a problem, each period has its fields.
    regular_hours: regular as RunWindow["regular_hours"],
    // As above.
    ...(isAbsent(input.special_hours) ? {} : { special_hours: special as ReadonlyArray<SpecialHours> })
  }
}

/** Reads a list. Elements that cannot be read stay in it as empty ones, so that positions are those of the input. */
const readAll = <A extends object>(
  value: unknown,
  path: string,
  limit: number,
  note: Note,
  read: (fields: Fields, path: string, note: Note) => Found<A>
): ReadonlyArray<Found<A>> => {
  if (!Array.isArray(value)) {
    note(path, `Expected an array, got ${shown(value)}`)
    return []
  }
  if (value.length > limit) {
    note(path, `Expected at most ${limit} elements, got ${value.length}`)
    return []
  }
  return value.map((element: unknown, index) => {
    const at = `${path}[${index}]`
    if (isFields(element)) return read(element, at, note)
    note(at, `Expected an object, got ${shown(element)}`)
    return {}
  })
}

/** Reads each field separately, so that problems of all fields are reported. */
const readFields = <F extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<F>,
  sent: Fields,
  path: string,
  note: Note
): Found<Schema.Struct<F>["Type"]> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isAbsent(sent[name]) && SchemaAST.isOptional(field.ast)
        ? []
        : // The fields of the schema need no services, which its type does not say.
          [[name, readValue(field as unknown as Schema.Codec<unknown>, sent[name], `${path}.${name}`, note)]]
    )
  ) as Found<Schema.Struct<F>["Type"]>

/** Reads a value that is right or wrong as a whole. A field of it that is `null` counts as left out. */
const readValue = <A>(schema: Schema.Codec<A>, sent: unknown, path: string, note: Note): A | null => {
  const decoded = Schema.decodeUnknownOption(schema)(isFields(sent) ? withoutAbsent(sent) : sent)
  if (Option.isSome(decoded)) return decoded.value
  note(path, `Expected ${expectedOf(schema)}, got ${shown(sent)}${adviceOf(path, sent)}`)
  return null
}

/** What hours that end at 24:00 can do instead. */
const adviceOf = (path: string, sent: unknown): string =>
  path.endsWith(".active_end_time") && isFields(sent) && sent.hours === 24
    ? `: ${path.startsWith("special_hours") ? ofSpecial : ofPeriod}`
    : ""

const expectedOf = ({ ast }: Schema.Top): string => String(SchemaAST.resolve(ast)?.expected)

const withoutAbsent = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value)))

const readPeriod = (sent: Fields, path: string, note: Note): Found<RegularPeriod> => {
  const found = withMinutes(readFields(RegularPeriod, sent, path, note))
  const { active_end_day, active_end_time, active_start_day, active_start_time } = found
  if (!active_start_day || !active_end_day) return found
  const nights = CivilDate.modulo(dayIndex(active_end_day) - dayIndex(active_start_day), 7)
  if (nights > 1) {
    note(
      `${path}.active_end_day`,
      `Expected ${active_start_day} or the following day, got ${active_end_day}: a period spans at most one night`
    )
  } else if (nights === 0) refuseEarlyEnd(active_start_time, active_end_time, path, note, ofPeriod)
  return found
}

const readSpecial = (sent: Fields, path: string, note: Note): Found<SpecialHours> => {
  const found = withMinutes(readFields(SpecialHours, sent, path, note))
  const { active, active_end_time, active_start_time, end_date, recurrence, recurrence_start, start_date } = found
  if (typeof recurrence === "string") {
    const parsed = RecurrenceRule.parse(recurrence)
    if (Result.isFailure(parsed)) note(`${path}.recurrence`, parsed.failure)
  }
  const dated = start_date !== undefined || end_date !== undefined
  const recurring = recurrence !== undefined || recurrence_start !== undefined
  if (dated === recurring) {
    note(path, `Expected either start_date or recurrence with recurrence_start, ${dated ? "not both" : "got neither"}`)
  } else if (dated && start_date === undefined) {
    note(`${path}.start_date`, "Expected the date that end_date ends, got none")
  } else if (recurring && recurrence === undefined) {
    note(`${path}.recurrence`, "Expected the rule that recurrence_start starts, got none")
  } else if (recurring && recurrence_start === undefined) {
    note(`${path}.recurrence_start`, "Expected the first date that the rule may apply to, got none")
  }
  if (start_date && end_date && epochDay(end_date) < epochDay(start_date)) {
    note(`${path}.end_date`, `Expected ${isoDate(start_date)} or a later date, got ${isoDate(end_date)}`)
  }
  if (active === true) {
    if (active_start_time === undefined)
      note(`${path}.active_start_time`, "Expected the time at which the entry opens, got none")
    if (active_end_time === undefined)
      note(`${path}.active_end_time`, "Expected the time at which the entry closes, got none")
    refuseEarlyEnd(active_start_time, active_end_time, path, note, ofSpecial)
  }
  return found
}

/** What a period does that is open until midnight. */
const ofPeriod = "until midnight is 00:00 of the following day"

/** What special hours can do instead. */
const ofSpecial = "special hours end on their day, at 23:59 at the latest"

/** Hours of one date end after they start. An end at 00:00 was probably meant as midnight. */
const refuseEarlyEnd = (
  start: Time | null | undefined,
  end: Time | null | undefined,
  path: string,
  note: Note,
  untilMidnight: string
): void => {
  if (!start || !end || minuteOf(end) > minuteOf(start)) return
  const advice = minuteOf(end) === 0 ? `: ${untilMidnight}` : ""
  note(`${path}.active_end_time`, `Expected a time after ${clock(start)} on the same day, got ${clock(end)}${advice}`)
}

/** Times with the minutes that were left out. */
const withMinutes = <A extends Found<Pick<RegularPeriod, "active_start_time" | "active_end_time">>>(found: A): A => ({
  ...found,
  ...Object.fromEntries(
    (["active_start_time", "active_end_time"] as const).flatMap((name) => {
      const time = found[name]
      return time ? [[name, { hours: time.hours, minutes: time.minutes ?? 0 }]] : []
    })
  )
})

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

const refuseLongCounts = (special: ReadonlyArray<Found<SpecialHours>>, note: Note): void => {
  let counted = 0
  for (const [index, entry] of special.entries()) {
    if (!entry.recurrence || !entry.recurrence_start) continue
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

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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
