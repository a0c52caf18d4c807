/** The problems of windows that are not valid. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"

const problemsOf = (window: unknown) => {
  const checked = RunWindow.validate(window)
  return Result.isFailure(checked) ? checked.failure.issues.map(({ message, path }) => `${path}: ${message}`) : []
}

const [nine, ten] = [{ hours: 9 }, { hours: 10 }]
const monday = {
  active_start_day: "MONDAY",
  active_start_time: nine,
  active_end_day: "MONDAY",
  active_end_time: ten
} as const
const daysAre = "Expected one of MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY"
const timeIs = "Expected an object with hours from 0 to 23 and minutes from 0 to 59"
const dateIs = "Expected year, month and day of a date from year 1 to 9999 that exists"

it("a wrong field of a period hides nothing of its other fields and rules", () => {
  const regular_hours = [
    { ...monday, active_start_time: { hours: 24 }, active_end_day: "WEDNESDAY" },
    { ...monday, active_end_time: nine },
    { active_start_day: "Monday", active_start_time: { hours: 9, minutes: 1.5 } },
    7
  ]
  assert.deepStrictEqual(problemsOf({ time_zone: "Mars/Olympus", regular_hours }), [
    'time_zone: "Mars/Olympus" is not known: expected an IANA time zone name such as "Europe/Berlin"',
    `regular_hours[0].active_start_time: ${timeIs}, got { hours: 24 }`,
    "regular_hours[0].active_end_day: Expected MONDAY or the following day, got WEDNESDAY: a period spans at most one night",
    "regular_hours[1].active_end_time: Expected a time after 09:00 on the same day, got 09:00",
    `regular_hours[2].active_start_day: ${daysAre}, got "Monday"`,
    `regular_hours[2].active_start_time: ${timeIs}, got { hours: 9, minutes: 1.5 }`,
    `regular_hours[2].active_end_day: ${daysAre}, got nothing`,
    `regular_hours[2].active_end_time: ${timeIs}, got nothing`,
    "regular_hours[3]: Expected an object, got 7"
  ])
})

it("an end at 00:00 of the same day is refused with how to stay open until midnight", () => {
  const midnight = { ...monday, active_end_time: { hours: 0 } }
  const special = { active: true, start_date: { year: 2025, month: 1, day: 2 } }
  assert.deepStrictEqual(
    problemsOf({
      time_zone: "UTC",
      regular_hours: [midnight],
      special_hours: [{ ...special, active_start_time: nine, active_end_time: { hours: 0 } }]
    }),
    [
      "regular_hours[0].active_end_time: Expected a time after 09:00 on the same day, got 00:00: until midnight is 00:00 of the following day",
      "special_hours[0].active_end_time: Expected a time after 09:00 on the same day, got 00:00: special hours end on their day, at 23:59 at the latest"
    ]
  )
})

it("an end at 24:00 is refused with how to stay open until midnight", () => {
  const special = { active: true, start_date: { year: 2025, month: 1, day: 2 }, active_start_time: nine }
  assert.deepStrictEqual(
    problemsOf({
      time_zone: "UTC",
      regular_hours: [{ ...monday, active_end_time: { hours: 24 } }],
      special_hours: [{ ...special, active_end_time: { hours: 24 } }]
    }),
    [
      `regular_hours[0].active_end_time: ${timeIs}, got { hours: 24 }: until midnight is 00:00 of the following day`,
      `special_hours[0].active_end_time: ${timeIs}, got { hours: 24 }: special hours end on their day, at 23:59 at the latest`
    ]
  )
})

it("a misspelt field of a window that is refused is named beside what is missing, at no path of its own", () => {
  const { active_end_day: activeEndDay, ...rest } = monday
  const special_hours = [{ active: false, start_date: { year: 2025, month: 1, day: 2 } }]
  assert.deepStrictEqual(problemsOf({ time_zone: "UTC", regular_hours: [{ ...rest, activeEndDay }] }), [
    `regular_hours[0].active_end_day: ${daysAre}, got nothing; "activeEndDay" is not known: did you mean active_end_day?`
  ])
  assert.deepStrictEqual(problemsOf({ time_zone: "UTC", regular_hours: [], specialHours: special_hours }), [
    'regular_hours: Expected at least one regular period or one active special entry, got none; "specialHours" is not known: did you mean special_hours?'
  ])
  assert.deepStrictEqual(problemsOf({ time_zone: "UTC", regular_hours: 7, colour: "red" }), [
    "regular_hours: Expected an array, got 7"
  ])
})

it("a wrong field of a special entry hides nothing of its other fields and rules", () => {
  const leapDay = { year: 2025, month: 2, day: 29 }
  const special_hours = [
    { active: "yes", label: "x".repeat(257), start_date: leapDay, recurrence: "FREQ=HOURLY" },
    { active: true, end_date: { year: 2025, month: 1, day: 1 }, active_start_time: ten, active_end_time: nine },
    { active: true, start_date: { year: 2025, month: 1, day: 2 }, end_date: { year: 2025, month: 1, day: 1 } },
    { active: false, label: null, recurrence: 5 },
    { active: false }
  ]
  const found = problemsOf({ time_zone: "UTC", regular_hours: [monday], special_hours })
  assert.deepStrictEqual(
    found.map((problem) => problem.replace(/got "x{79}…/, "got a long text")),
    [
      'special_hours[0].active: Expected true or false, got "yes"',
      "special_hours[0].label: Expected a text of at most 256 characters, got a long text",
      `special_hours[0].start_date: ${dateIs}, got { year: 2025, month: 2, day: 29 }`,
      "special_hours[0].recurrence: FREQ=HOURLY is not supported: expected DAILY, WEEKLY, MONTHLY or YEARLY",
      "special_hours[0]: Expected either start_date or recurrence with recurrence_start, not both",
      "special_hours[1].start_date: Expected the date that end_date ends, got none",
      "special_hours[1].active_end_time: Expected a time after 10:00 on the same day, got 09:00",
      "special_hours[2].end_date: Expected 2025-01-02 or a later date, got 2025-01-01",
      "special_hours[2].active_start_time: Expected the time at which the entry opens, got none",
      "special_hours[2].active_end_time: Expected the time at which the entry closes, got none",
      "special_hours[3].recurrence: Expected a recurrence rule such as FREQ=WEEKLY, got 5",
      "special_hours[3].recurrence_start: Expected the first date that the rule may apply to, got none",
      "special_hours[4]: Expected either start_date or recurrence with recurrence_start, got neither"
    ]
  )
})

it("a window of another form is refused as a whole, and so are lists that are none or too long", () => {
  assert.deepStrictEqual(problemsOf([]), [": A run window must be an object, got an array"])
  assert.deepStrictEqual(problemsOf({ special_hours: {}, regular_hours: Array(201).fill(monday) }), [
    'time_zone: Expected an IANA time zone name such as "Europe/Berlin", got nothing',
    "regular_hours: Expected at most 200 elements, got 201",
    "special_hours: Expected an array, got {  }"
  ])
  assert.deepStrictEqual(problemsOf({ time_zone: "UTC", regular_hours: [] }), [
    "regular_hours: Expected at least one regular period or one active special entry, got none"
  ])
})

it("a valid window keeps its known fields, without those that are null, and says its minutes", () => {
  const checked = RunWindow.validate({
    time_zone: "UTC",
    regular_hours: [{ ...monday, active_end_time: { hours: 10, minutes: null, seconds: 3 }, note: "x" }],
    special_hours: null
  })
  assert.deepStrictEqual(Result.getOrThrow(checked).window as RunWindow.RunWindow, {
    time_zone: "UTC",
    regular_hours: [
      { ...monday, active_start_time: { hours: 9, minutes: 0 }, active_end_time: { hours: 10, minutes: 0 } }
    ]
  })
})

it("a field that a window does not have is warned of at its path, with the known name that was probably meant", () => {
  const checked = RunWindow.validate({
    time_zone: "UTC",
    timezone: "Europe/Berlin",
    regular_hours: [{ ...monday, active_end_time: { hours: 10, minute: 30 } }],
    specialHours: [],
    special_hours: [{ active: false, start_date: { year: 2026, month: 1, day: 1 }, lable: "New Year", colour: "red" }],
    holidays: null
  })
  const known = "label, start_date, end_date, recurrence, recurrence_start, active_start_time, active_end_time"
  const { warnings, window } = Result.getOrThrow(checked)
  assert.deepStrictEqual(
    warnings.map(({ message, path }) => `${path}: ${message.replace(/^.*so it has no effect: /, "")}`),
    [
      "timezone: did you mean time_zone?",
      "specialHours: did you mean special_hours?",
      "special_hours[0].lable: did you mean label?",
      `special_hours[0].colour: expected one of active, ${known}`,
      "regular_hours[0].active_end_time.minute: did you mean minutes?"
    ]
  )
  assert.strictEqual(
    warnings.at(-1)?.message,
    "A run window has no field minute here, so it has no effect: did you mean minutes?"
  )
  assert.deepStrictEqual(window.regular_hours[0]?.active_end_time, { hours: 10, minutes: 0 })
})

it("a recurrence rule may be written in lower case, which changes nothing about its dates", () => {
  const windowOf = (recurrence: string) => ({
    time_zone: "UTC",
    regular_hours: [monday],
    special_hours: [{ active: false, recurrence, recurrence_start: { year: 2024, month: 1, day: 1 } }]
  })
  const openings = (recurrence: string) => {
    const { window } = Result.getOrThrow(RunWindow.validate(windowOf(recurrence)))
    return RunWindow.openings(RunWindow.compile(window), Date.UTC(2024, 0, 1), 20)
  }
  const rule = "RRULE:FREQ=WEEKLY;INTERVAL=3;WKST=SU;BYDAY=MO,TU;UNTIL=20240901T000000Z"
  assert.deepStrictEqual(openings(rule.toLowerCase()), openings(rule))
})

describe("the warnings of a window", () => {
  const warned = (window: object, now = Date.parse("2026-01-01T00:00:00Z")) => {
    const { warnings } = Result.getOrThrow(
      RunWindow.validate({ time_zone: "UTC", regular_hours: [monday], ...window }, { now })
    )
    return warnings.map(({ message, path }) => `${path}: ${message}`)
  }
  const closing = (recurrence: string) => ({
    special_hours: [{ active: false, recurrence, recurrence_start: { year: 2026, month: 1, day: 14 } }]
  })

  it("name an UNTIL whose time does not count, and a yearly rule of every month", () => {
    assert.deepStrictEqual(warned(closing("FREQ=DAILY;UNTIL=20260119T000000Z")), [
      "special_hours[0].recurrence: UNTIL counts as the date 20260119, included, in the time zone of the window: its time T000000Z is ignored"
    ])
    assert.deepStrictEqual(warned(closing("FREQ=DAILY;UNTIL=20260119")), [])
    assert.match(warned(closing("FREQ=YEARLY;BYMONTHDAY=14"))[0] ?? "", /BYMONTHDAY is these days of every month/)
  })

  it("name hours that the clocks skip, but not the end of a night that exists", () => {
    const period = (start: string, from: number, end: string, to: number) => ({
      active_start_day: start,
      active_start_time: { hours: from },
      active_end_day: end,
      active_end_time: { hours: to }
    })
    // In Beirut the clocks go from 00:00 to 01:00 on a Sunday.
    const beirut = (hours: object) => warned({ time_zone: "Asia/Beirut", regular_hours: [hours] })
    assert.deepStrictEqual(beirut(period("SATURDAY", 8, "SUNDAY", 1)), [])
    assert.match(beirut(period("SUNDAY", 0, "SUNDAY", 1))[0] ?? "", /These hours do not exist on 2026-03-29/)
  })
})
