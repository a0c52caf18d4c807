/**
 * The schema of a run window, with the names of the interface document. The expected form of each value is described
 * here, in the words that problems with it use.
 */

import { type Brand, Schema } from "effect"
import * as CivilDate from "./calendar/CivilDate.ts"
import { inOneSentence } from "./Problems.ts"
import * as TextLength from "./TextLength.ts"

/** How many periods and entries a window may have, and how many characters a label. */
export const limits = { regularHours: 200, specialHours: 500, label: 256 } as const

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const

export const Day = Schema.Literals(days).annotate({ expected: `one of ${days.join(", ")}` })
export type Day = typeof Day.Type

/** A time of day to the minute. `minutes` is 0 when left out. */
export const Time = Schema.Struct({
  hours: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 })),
  minutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })))
}).annotate({ expected: "an object with hours from 0 to 23 and minutes from 0 to 59" })
export type Time = typeof Time.Type

/** A date of the Gregorian calendar, in the years 1 to 9999. */
export const CalendarDate = Schema.Struct({
  year: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9999 })),
  month: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  day: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31 }))
})
  .check(Schema.makeFilter(({ day, month, year }) => CivilDate.exists(year, month, day)))
  .annotate({ expected: "year, month and day of a date from year 1 to 9999 that exists" })
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
  active: Schema.Boolean.annotate({ expected: "true or false" }),
  label: Schema.optionalKey(
    Schema.String.check(TextLength.atMost(limits.label)).annotate({
      expected: `a text of at most ${limits.label} characters`
    })
  ),
  start_date: Schema.optionalKey(CalendarDate),
  end_date: Schema.optionalKey(CalendarDate),
  recurrence: Schema.optionalKey(Schema.String.annotate({ expected: "a recurrence rule such as FREQ=WEEKLY" })),
  recurrence_start: Schema.optionalKey(CalendarDate),
  active_start_time: Schema.optionalKey(Time),
  active_end_time: Schema.optionalKey(Time)
})
export type SpecialHours = typeof SpecialHours.Type

/** The hours in which the runs of a workflow may start, in the wall-clock time of one zone. */
export const RunWindow = Schema.Struct({
  time_zone: Schema.String.annotate({ expected: 'an IANA time zone name such as "Europe/Berlin"' }),
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
    return `Run window is not valid: ${inOneSentence(this.issues)}`
  }
}

/** The horizon of the search for openings: 400 days of 24 hours, in milliseconds. */
export const horizonMillis = 400 * 86_400_000
