/**
 * The schema of a run window, with the names of the interface document.
 */
import { type Brand, Schema } from "effect"

export const Day = Schema.Literals(["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"])
export type Day = typeof Day.Type

/** A time of day to the minute. `minutes` is 0 when left out. */
export const Time = Schema.Struct({
  hours: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 })),
  minutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })))
})
export type Time = typeof Time.Type

/** A date of the Gregorian calendar, in the years 1 to 9999. */
export const CalendarDate = Schema.Struct({
  year: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9999 })),
  month: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  day: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31 }))
})
export type CalendarDate = typeof CalendarDate.Type

/** Weekly hours. A period belongs to the day it starts on, and ends on that day or the following one. */
export const RegularPeriod = Schema.Struct({
  active_start_day: Day,
  active_start_time: Time,
  active_end_day: Day,
  active_end_time: Time
})
export type RegularPeriod = typeof RegularPeriod.Type

/** Hours, or a closing, for certain dates in place of the weekly ones. Either dated or recurring, never both. */
export const SpecialHours = Schema.Struct({
  active: Schema.Boolean,
  label: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(256))),
  start_date: Schema.optionalKey(CalendarDate),
  end_date: Schema.optionalKey(CalendarDate),
  recurrence: Schema.optionalKey(Schema.String),
  recurrence_start: Schema.optionalKey(CalendarDate),
  active_start_time: Schema.optionalKey(Time),
  active_end_time: Schema.optionalKey(Time)
})
export type SpecialHours = typeof SpecialHours.Type

/** The hours in which the runs of a workflow may start, in the wall-clock time of one zone. */
export const RunWindow = Schema.Struct({
  time_zone: Schema.String,
  regular_hours: Schema.Array(RegularPeriod),
  special_hours: Schema.optionalKey(Schema.Array(SpecialHours))
}).annotate({ identifier: "RunWindow" })
export type RunWindow = typeof RunWindow.Type

/** A window that keeps every rule. Only `validate` makes one, and stores read back what it made. */
export type ValidRunWindow = Brand.Branded<RunWindow, "ValidRunWindow">

/** A problem or a warning, and where in the window it lies, such as `special_hours[0].end_date`. */
export const RunWindowIssue = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({
  identifier: "RunWindowIssue"
})
export type RunWindowIssue = typeof RunWindowIssue.Type

/** Raised for a window with problems. It lists them all. */
export class InvalidRunWindow extends Schema.TaggedError<InvalidRunWindow>()("InvalidRunWindow", {
  issues: Schema.Array(RunWindowIssue)
}) {
  override get message() {
    return `Run window is not valid: ${this.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")}`
  }
}

/** How many periods and entries a window may have. */
export const limits = { regularHours: 200, specialHours: 500, label: 256 } as const

/** How far openings are looked for: 400 days of 24 hours, in milliseconds. */
export const horizonMillis = 400 * 86_400_000
