/**
 * Run windows for programs without Effect: instants are dates or epoch milliseconds, and a window with problems is thrown.
 *
 * **Example** (Nights in Berlin)
 *
 * ```ts
 * import { isOpen, next, parse, toText } from "@sluice/window"
 *
 * const nights = parse({
 *   time_zone: "Europe/Berlin",
 *   regular_hours: [{
 *     active_start_day: "MONDAY", active_start_time: { hours: 22 },
 *     active_end_day: "TUESDAY", active_end_time: { hours: 6 }
 *   }]
 * })
 *
 * toText(nights) // => "Mon 22:00–06:00"
 * isOpen(nights, new Date("2026-01-12T21:00:00Z")) // => true
 * next(nights, Date.parse("2026-01-12T21:00:00Z"))?.toISOString() // => "2026-01-19T21:00:00.000Z"
 * ```
 */
import { Result } from "effect"
import * as WindowText from "./exchange/WindowText.ts"
import * as Schedule from "./Schedule.ts"
import * as Validation from "./Validation.ts"

export type Day = "MONDAY" | "TUESDAY" | "WEDNESDAY" | "THURSDAY" | "FRIDAY" | "SATURDAY" | "SUNDAY"

/** A time of day: hours from 0 to 23, minutes from 0 to 59, 0 when left out. */
export interface Time {
  readonly hours: number
  readonly minutes?: number
}

/** A date of the Gregorian calendar, in the years 1 to 9999. Months begin with 1. */
export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Weekly hours, which end on the day they start on or the following one. */
export interface RegularPeriod {
  readonly active_start_day: Day
  readonly active_start_time: Time
  readonly active_end_day: Day
  readonly active_end_time: Time
}

/** Hours, or a closing, for certain dates in place of the weekly ones: either dated or recurring. */
export interface SpecialHours {
  readonly active: boolean
  readonly label?: string
  readonly start_date?: CalendarDate
  readonly end_date?: CalendarDate
  readonly recurrence?: string
  readonly recurrence_start?: CalendarDate
  readonly active_start_time?: Time
  readonly active_end_time?: Time
}

/** A window, as `parse` returns it. The functions here take no other: `parse` what was stored as JSON again. */
export interface ParsedWindow {
  readonly time_zone: string
  readonly regular_hours: ReadonlyArray<RegularPeriod>
  readonly special_hours?: ReadonlyArray<SpecialHours>
}

/** A problem, and where in the window it lies, such as `special_hours[0].end_date`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** Thrown by `parse`: every problem of a window, each at its path. The message lists them. */
export class InvalidWindow extends Error {
  readonly _tag = "InvalidWindow"
  override readonly name = "InvalidWindow"
  readonly issues: ReadonlyArray<Issue>

  constructor(message: string, issues: ReadonlyArray<Issue>) {
    super(message)
    this.issues = issues
  }
}

/** A time `[opensAt, closesAt)` in which a window is open throughout. `closesAt` is `null` where it lasts over 400 days. */
export interface Opening {
  readonly opensAt: Date
  readonly closesAt: Date | null
}

/** The schedules of parsed windows. */
const schedules = new WeakMap<object, Schedule.Schedule>()

/**
 * Checks a window of any origin, such as parsed JSON. Throws `InvalidWindow` with all its problems. The answered window has
 * the known fields; `null` counts as left out.
 */
export const parse = (input: unknown): ParsedWindow => {
  const read = Validation.read(input)
  if (Result.isFailure(read)) throw new InvalidWindow(read.failure.message, read.failure.issues)
  schedules.set(read.success, Schedule.compile(read.success))
  return read.success
}

/** Whether the window is open at an instant. */
export const isOpen = (window: ParsedWindow, at: Date | number): boolean =>
  Schedule.isOpen(scheduleOf("isOpen", window), millisOf("isOpen", at))

/**
 * When the window opens next after `from`: the beginning of the first opening that begins later. `null` when none begins
 * within 400 days of `from`, or of the end of the opening that holds it.
 */
export const next = (window: ParsedWindow, from: Date | number): Date | null => {
  const schedule = scheduleOf("next", window)
  const at = millisOf("next", from)
  const first = Schedule.opening(schedule, at)
  const later =
    first === null || first.opensAt > at || first.closesAt === null ? first : Schedule.opening(schedule, first.closesAt)
  return later === null || later.opensAt <= at ? null : new Date(later.opensAt)
}

/**
 * Up to `count` openings from `from` on, in order, the first of which may have begun before. It ends where no further one
 * begins within 400 days.
 */
export const openings = (window: ParsedWindow, from: Date | number, count: number): ReadonlyArray<Opening> => {
  const schedule = scheduleOf("openings", window)
  const found: Array<Opening> = []
  let at: number | null = millisOf("openings", from)
  while (at !== null && found.length < count) {
    const opening = Schedule.opening(schedule, at)
    if (opening === null) break
    at = opening.closesAt
    found.push({ opensAt: new Date(opening.opensAt), closesAt: at === null ? null : new Date(at) })
  }
  return found
}

/** The hours in plain words, in the zone of the window, which the text does not name. */
export const toText = (window: ParsedWindow): string => WindowText.toText(scheduleOf("toText", window).window)

const scheduleOf = (asked: string, window: ParsedWindow): Schedule.Schedule => {
  const schedule = schedules.get(window)
  if (schedule === undefined) {
    throw new TypeError(`${asked} takes a window that parse returned: call ${asked}(parse(window), …)`)
  }
  return schedule
}

const millisOf = (asked: string, at: Date | number): number => {
  const millis = at instanceof Date ? at.getTime() : at
  if (typeof millis === "number" && Math.abs(millis) <= 8.64e15) return millis
  const shown = typeof millis === "number" ? (at instanceof Date ? "an invalid Date" : String(millis)) : typeof millis
  throw new RangeError(`${asked} takes a Date, or an instant in epoch milliseconds; it was given ${shown}`)
}
