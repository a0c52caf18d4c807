/**
 * Cron expressions: five fields (minute, hour, day of month, month, day of week), with names, ranges, steps, lists, `L`
 * and `#`, and the short forms such as `@daily`.
 */
import { Result } from "effect"
import * as CivilDate from "../window/calendar/CivilDate.ts"

/** A parsed expression. */
export interface Cron {
  /** The times of day in minutes since midnight, ascending. */
  readonly times: ReadonlyArray<number>
  /** Whether a date is one of the days of the expression. */
  readonly onDate: (date: CivilDate.Parts) => boolean
  /** Whether it repeats at an interval: its minutes or hours hold a `*` or a step. */
  readonly isInterval: boolean
  /** What its author may not have meant, each as a sentence that names the field. */
  readonly warnings: ReadonlyArray<string>
}

/** The number of characters that an expression may have. */
export const maxLength = 256

/**
 * Reads an expression. The failure lists what is wrong, each as a sentence that names the field.
 *
 * **Details**
 *
 * Where both the day of month and the day of week are restricted, either is enough, as in every common cron. A field
 * that begins with `*` restricts nothing in this sense. Weekdays count from 0 (Sunday) to 7 (Sunday again). Names and
 * short forms ignore case.
 */
export const parse = (text: string): Result.Result<Cron, ReadonlyArray<string>> => {
  if (text.length > maxLength) return Result.fail([`Expected at most ${maxLength} characters, got ${text.length}`])
  const written = text.trim().toUpperCase()
  const short = shortForms[written]
  if (short === undefined && written.startsWith("@")) {
    return Result.fail([
      `${shown(written)} is not known: expected one of ${Object.keys(shortForms).join(", ").toLowerCase()}`
    ])
  }
  const fields = (short ?? written).split(/\s+/)
  if (fields.length !== 5) {
    return Result.fail([
      `Expected five fields (minute, hour, day of month, month, day of week), got ${written === "" ? 0 : fields.length}${
        fields.length === 6 ? "; seconds are not supported" : ""
      }`
    ])
  }
  const problems: Array<string> = []
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields
  const note = (problem: string) => {
    problems.push(problem)
  }
  const minutes = readField(kinds.minute, minute, note)
  const hours = readField(kinds.hour, hour, note)
  const days = readField(kinds.day, day, note)
  const months = readField(kinds.month, month, note)
  const weekdays = readField(kinds.weekday, weekday, note)
  if (problems.length > 0) return Result.fail(problems)
  const inMonth = new Set(months.values)
  return Result.succeed({
    times: sorted(hours.values).flatMap((of) => sorted(minutes.values).map((past) => of * 60 + past)),
    onDate: (date) => inMonth.has(date.month) && matchesDay(date, days, weekdays),
    isInterval: /[*/]/.test(minute + hour),
    warnings: [...uneven(kinds.minute, minute, minutes), ...uneven(kinds.hour, hour, hours)]
  })
}

/** Steps that begin anew before they are whole, as each field counts for itself. */
const uneven = (kind: Kind, text: string, { values }: Field): ReadonlyArray<string> => {
  const [, step] = /^\*\/(\d+)$/.exec(text) ?? []
  const length = kind.maximum + 1
  if (step === undefined || length % Number(step) === 0) return []
  const whole = kind === kinds.minute ? "hour" : "day"
  const at = sorted(values)
  const shown = at.length > 4 ? `${at.slice(0, 3).join(", ")} … ${at.at(-1)}` : at.join(", ")
  return [
    `${kind.name}: ${text} fires at ${kind.name} ${shown} of each ${whole}, not every ${step} ${kind.name}s: a step begins anew with each ${whole}`
  ]
}

const shortForms: Readonly<Record<string, string>> = {
  "@YEARLY": "0 0 1 1 *",
  "@ANNUALLY": "0 0 1 1 *",
  "@MONTHLY": "0 0 1 * *",
  "@WEEKLY": "0 0 * * 0",
  "@DAILY": "0 0 * * *",
  "@MIDNIGHT": "0 0 * * *",
  "@HOURLY": "0 * * * *"
}

interface Kind {
  readonly name: string
  readonly minimum: number
  readonly maximum: number
  readonly names: ReadonlyArray<string>
}

const kinds = {
  minute: { name: "minute", minimum: 0, maximum: 59, names: [] },
  hour: { name: "hour", minimum: 0, maximum: 23, names: [] },
  day: { name: "day of month", minimum: 1, maximum: 31, names: [] },
  month: {
    name: "month",
    minimum: 1,
    maximum: 12,
    names: ["", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
  },
  weekday: {
    name: "day of week",
    minimum: 0,
    maximum: 7,
    names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
  }
} as const satisfies Readonly<Record<string, Kind>>

/** A parsed field. Weekdays are those of cron, with Sunday as 0. */
interface Field {
  readonly values: ReadonlySet<number>
  /** Days counted from the end of the month: 0 is its last day. */
  readonly fromEnd: ReadonlySet<number>
  /** Weekdays that are the n-th or the last of their month, as `weekday * 8 + n`, where the last is 0. */
  readonly ordinals: ReadonlySet<number>
  readonly isOpen: boolean
}

type Note = (problem: string) => void

const readField = (kind: Kind, text: string, note: Note): Field => {
  const field = { values: new Set<number>(), fromEnd: new Set<number>(), ordinals: new Set<number>() }
  for (const item of text.split(",")) {
    if (!readSpecial(kind, item, field, note)) readItem(kind, item, field.values, note)
  }
  return { ...field, isOpen: text.startsWith("*") || text === "?" }
}

/** Reads `L`, `L-3`, `FRIL` and `FRI#2`; returns whether the item is of that kind, right or wrong. */
const readSpecial = (
  kind: Kind,
  item: string,
  field: { readonly fromEnd: Set<number>; readonly ordinals: Set<number> },
  note: Note
): boolean => {
  const refuse = (expected: string) => {
    note(`${kind.name}: ${shown(item)} is not valid: expected ${expected}`)
    return true
  }
  if (kind === kinds.day && item.startsWith("L")) {
    const before = /^L(?:-(\d{1,2}))?$/.exec(item)
    const days = Number(before?.[1] ?? 0)
    if (before === null || days > 30)
      return refuse("L for the last day of the month, or L-1 to L-30 for days before it")
    field.fromEnd.add(days)
    return true
  }
  if (kind === kinds.day && /W/.test(item)) return refuse("a day such as 15 or L; W is not supported")
  if (kind !== kinds.weekday) return false
  if (item === "L") return refuse("a weekday before the L, such as FRIL for the last Friday of the month")
  const found = /^([0-7]|[A-Z]{3})(?:L|#(\d+))$/.exec(item)
  if (found === null) return item.includes("#") ? refuse("a weekday and a number from 1 to 5, such as MON#2") : false
  const weekday = readValue(kind, found[1] ?? "")
  const ordinal = Number(found[2] ?? 0)
  if (weekday === null || ordinal > 5 || found[2] === "0") {
    return refuse("a weekday and a number from 1 to 5, such as MON#2, or FRIL")
  }
  field.ordinals.add((weekday % 7) * 8 + ordinal)
  return true
}

const readItem = (kind: Kind, item: string, values: Set<number>, note: Note) => {
  const { maximum, minimum, name } = kind
  const refuse = (expected: string) => note(`${name}: ${shown(item)} is not valid: expected ${expected}`)
  const [range = "", written, ...rest] = item.split("/")
  const step = written === undefined ? 1 : /^\d{1,4}$/.test(written) ? Number(written) : 0
  if (rest.length > 0 || step < 1) return refuse("a step of at least 1 after the slash, such as */5")
  const isAll = range === "*" || (range === "?" && (kind === kinds.day || kind === kinds.weekday))
  const [first = "", last, ...more] = isAll ? [String(minimum), String(lastOf(kind))] : range.split("-")
  const from = readValue(kind, first)
  // A step without an end continues to the last value of the field.
  const to = last === undefined ? (written === undefined ? from : lastOf(kind)) : readValue(kind, last)
  if (more.length > 0 || from === null || to === null) {
    return refuse(
      `${minimum} to ${maximum}${kind.names.length === 0 ? "" : ` or ${kind.names.filter(Boolean).join(", ")}`}`
    )
  }
  // Weeks have no first day: SAT-MON goes over the weekend.
  const upTo = kind === kinds.weekday && to < from ? to + 7 : to
  if (upTo < from) return refuse("a range that ends at or after its start")
  for (let value = from; value <= upTo; value += step) values.add(kind === kinds.weekday ? value % 7 : value)
}

/** The last value that `*` includes. Weekday 7 is excluded, because it is Sunday again. */
const lastOf = (kind: Kind): number => (kind === kinds.weekday ? 6 : kind.maximum)

const readValue = ({ maximum, minimum, names }: Kind, text: string): number | null => {
  const named = text === "" ? -1 : names.indexOf(text)
  if (named >= 0) return named
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return value >= minimum && value <= maximum ? value : null
}

const matchesDay = (date: CivilDate.Parts, days: Field, weekdays: Field): boolean => {
  const length = CivilDate.daysInMonth(date.year, date.month)
  const weekday = (date.weekday + 1) % 7
  const ofMonth = days.values.has(date.dayOfMonth) || days.fromEnd.has(length - date.dayOfMonth)
  const ofWeek =
    weekdays.values.has(weekday) ||
    weekdays.ordinals.has(weekday * 8 + Math.ceil(date.dayOfMonth / 7)) ||
    (date.dayOfMonth > length - 7 && weekdays.ordinals.has(weekday * 8))
  return days.isOpen || weekdays.isOpen ? ofMonth && ofWeek : ofMonth || ofWeek
}

const sorted = (values: ReadonlySet<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)

/** User input as a message may show it. */
const shown = (text: string): string => `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`
