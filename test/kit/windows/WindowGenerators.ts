/**
 * For tests of programs that deal with time: generated windows, zones and instants that shrink well, and a clock that is
 * moved by the test. `runWindow` and `instant` are arbitraries for properties.
 *
 * **Example** (A clock that is moved by the test)
 *
 * ```ts
 * import { Clock, Effect } from "effect"
 * import * as WindowTesting from "@sluice/testing"
 *
 * const clock = WindowTesting.movableClock(Date.parse("2026-01-12T21:00:00Z"))
 * clock.advance(60_000)
 * const now = Effect.runSync(Clock.currentTimeMillis.pipe(Effect.provide(WindowTesting.layerClock(clock))))
 *
 * new Date(now).toISOString() // => "2026-01-12T21:01:00.000Z"
 * ```
 */
import { type Arbitrary, Clock, Layer } from "effect"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as ZoneNames from "../../../core/window/calendar/ZoneNames.ts"
import { Day, type RegularPeriod, type RunWindow, type SpecialHours } from "../../../core/window/Definition.ts"
import * as ManualTime from "../clocks/ManualTime.ts"
import * as Generated from "./Generated.ts"

export type { FastCheck, Generated, Produces } from "./Generated.ts"

/** Zones without and with summer time, at half hours, with odd changes; the plainest first. */
const notable = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Africa/Casablanca",
  "Asia/Gaza",
  "America/Sao_Paulo",
  "Europe/Dublin"
] as const

const zones = Generated.map(
  Generated.record({
    any: Generated.boolean,
    special: Generated.oneOf(notable),
    one: Generated.oneOf<string>([notable[0], ...[...ZoneNames.zoneNames].filter(Zone.isKnown)])
  }),
  ({ any, one, special }) => (any ? one : special)
)

const dayMillis = 86_400_000

/** The days about which instants gather: changes of clocks, ends of years, a skipped date, a leap day. */
const eventfulDays = [
  "2026-03-29",
  "2026-10-25",
  "2026-03-08",
  "2026-11-01",
  "2011-12-30",
  "2010-11-07",
  "2024-02-29",
  "2026-01-01",
  "2026-04-05"
].map((date) => Date.parse(`${date}T00:00:00Z`))

const instants = Generated.map(
  Generated.record({
    day: Generated.integer(0, eventfulDays.length - 1),
    minute: Generated.integer(-1_440, 2_880),
    beside: Generated.oneOf([0, 0, 1, -1, 30_000])
  }),
  ({ beside, day, minute }) => (eventfulDays[day] ?? 0) + minute * 60_000 + beside
)

interface TimeOfDay {
  readonly hours: number
  readonly minutes: number
}

const time: Generated.Generated<TimeOfDay> = Generated.record({
  hours: Generated.integer(0, 23),
  minutes: Generated.oneOf([0, 15, 30, 59, 1])
})

const period = Generated.record({
  day: Generated.integer(0, 6),
  overnight: Generated.boolean,
  from: time,
  to: time
})

const date = Generated.record({
  day: Generated.integer(0, eventfulDays.length - 1),
  shift: Generated.integer(-2, 2)
})

const weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const

/** What a rule may be made of; most of it is left out most of the time. */
const ruleParts = Generated.record({
  frequency: Generated.integer(0, 3),
  interval: Generated.integer(1, 4),
  weekdays: Generated.array(
    Generated.record({ weekday: Generated.integer(0, 6), ordinal: Generated.integer(-3, 3) }),
    3
  ),
  months: Generated.array(Generated.integer(1, 12), 2),
  monthDays: Generated.array(Generated.integer(-31, 31), 2),
  yearDays: Generated.array(Generated.integer(-366, 366), 2),
  weekNumbers: Generated.array(Generated.integer(-53, 53), 2),
  position: Generated.integer(-3, 3),
  weekStart: Generated.integer(0, 6),
  count: Generated.integer(0, 20),
  ends: Generated.boolean,
  until: date
})

const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const

const ruleOf = (parts: Generated.GeneratedValue<typeof ruleParts>): string => {
  const frequency = frequencies[parts.frequency] ?? "DAILY"
  const yearly = frequency === "YEARLY"
  const numbers = (name: string, allowed: boolean, list: ReadonlyArray<number>) => {
    const given = [...new Set(list)].filter((number) => number !== 0)
    return allowed && given.length > 0 ? [`${name}=${given.join(",")}`] : []
  }
  const weekNumbers = numbers("BYWEEKNO", yearly, parts.weekNumbers)
  const withOrdinals = (yearly || frequency === "MONTHLY") && weekNumbers.length === 0
  const days = parts.weekdays.map(
    ({ ordinal, weekday }) => `${withOrdinals && ordinal !== 0 ? ordinal : ""}${weekdayNames[weekday] ?? "MO"}`
  )
  const chosen = [
    ...numbers("BYMONTH", true, parts.months),
    ...weekNumbers,
    ...numbers("BYYEARDAY", yearly, parts.yearDays),
    ...numbers("BYMONTHDAY", frequency !== "WEEKLY", parts.monthDays),
    ...(days.length === 0 ? [] : [`BYDAY=${[...new Set(days)].join(",")}`])
  ]
  const until = !parts.ends ? null : calendarDate((eventfulDays[parts.until.day] ?? 0) + dayMillis)
  return [
    `FREQ=${frequency}`,
    ...(parts.interval === 1 ? [] : [`INTERVAL=${parts.interval}`]),
    ...(parts.weekStart === 0 ? [] : [`WKST=${weekdayNames[parts.weekStart] ?? "MO"}`]),
    ...chosen,
    ...(chosen.length === 0 ? [] : numbers("BYSETPOS", true, [parts.position])),
    ...(until !== null
      ? [`UNTIL=${until.year}${String(until.month).padStart(2, "0")}${String(until.day).padStart(2, "0")}`]
      : parts.count === 0
        ? []
        : [`COUNT=${parts.count}`])
  ].join(";")
}

/** When an entry with special hours applies. */
const kinds = ["dated", "datedWithoutEnd", "recurring"] as const

const special = Generated.record({
  active: Generated.boolean,
  labelled: Generated.boolean,
  kind: Generated.integer(0, kinds.length - 1),
  start: date,
  days: Generated.integer(0, 3),
  rule: ruleParts,
  from: time,
  to: time
})

const windows = Generated.map(
  Generated.record({ time_zone: zones, periods: Generated.array(period, 5), specials: Generated.array(special, 4) }),
  ({ periods, specials, time_zone }): RunWindow => {
    const special_hours = specials.map((one) => toSpecial(one))
    const opens = periods.length > 0 || special_hours.some(({ active }) => active)
    return {
      time_zone,
      regular_hours: opens ? periods.map((one) => toPeriod(one)) : [nineToFive],
      ...(specials.length === 0 ? {} : { special_hours })
    }
  }
)

const nineToFive: RegularPeriod = {
  active_start_day: "MONDAY",
  active_start_time: { hours: 9, minutes: 0 },
  active_end_day: "MONDAY",
  active_end_time: { hours: 17, minutes: 0 }
}

/** Manually advanced clock; sleepers resume at their deadline. */
export interface MovableClock extends Clock.Clock {
  /** Sets the time, in epoch milliseconds. Going back resumes no sleeper. */
  readonly set: (at: number) => void
  /** Advances the time by a number of milliseconds. */
  readonly advance: (millis: number) => void
}

/** Makes a clock that shows `at`, in epoch milliseconds. */
export const movableClock = (at = 0): MovableClock => {
  const { clock, firstBy, now, show, wake } = ManualTime.make(at)
  const set = (to: number) => {
    show(to)
    for (let due = firstBy(to); due !== null; due = firstBy(to)) wake(due)
  }
  return { ...clock, set, advance: (millis) => set(now() + millis) }
}

/** Gives a program this clock. */
export const layerClock = (clock: MovableClock): Layer.Layer<never> => Layer.succeed(Clock.Clock, clock)

const minuteOf = ({ hours, minutes }: TimeOfDay): number => hours * 60 + minutes

/** The two times in their order, and apart. */
const ordered = (from: TimeOfDay, to: TimeOfDay) => {
  if (minuteOf(from) === minuteOf(to))
    return [
      { hours: 8, minutes: 0 },
      { hours: 18, minutes: 0 }
    ] as const
  return minuteOf(from) < minuteOf(to) ? ([from, to] as const) : ([to, from] as const)
}

const dayAt = (index: number): Day => Day.literals[index % 7] ?? "MONDAY"

const toPeriod = ({ day, from, overnight, to }: Generated.GeneratedValue<typeof period>): RegularPeriod => {
  const [start, end] = overnight ? [from, to] : ordered(from, to)
  return {
    active_start_day: dayAt(day),
    active_start_time: start,
    active_end_day: dayAt(overnight ? day + 1 : day),
    active_end_time: end
  }
}

const toSpecial = (made: Generated.GeneratedValue<typeof special>): SpecialHours => {
  const first = (eventfulDays[made.start.day] ?? 0) + made.start.shift * dayMillis
  const [opens, closes] = ordered(made.from, made.to)
  const kind = kinds[made.kind]
  return {
    active: made.active,
    ...(made.labelled ? { label: made.active ? "Extra hours" : "Holiday" } : {}),
    ...(kind === "recurring"
      ? { recurrence: ruleOf(made.rule), recurrence_start: calendarDate(first - 1_000 * dayMillis) }
      : {
          start_date: calendarDate(first),
          ...(kind === "dated" ? { end_date: calendarDate(first + made.days * dayMillis) } : {})
        }),
    ...(made.active ? { active_start_time: opens, active_end_time: closes } : {})
  }
}

const calendarDate = (at: number) => {
  const utc = new Date(at)
  return { year: utc.getUTCFullYear(), month: utc.getUTCMonth() + 1, day: utc.getUTCDate() }
}

/** An invalid window, and the path of the issue that `validate` must report. */
export interface InvalidWindow {
  readonly window: unknown
  readonly path: string
}

/** Mutations that make a valid window invalid. Each returns the expected problem. */
const faults: readonly [(window: RunWindow) => InvalidWindow, ...ReadonlyArray<(window: RunWindow) => InvalidWindow>] =
  [
    (window) => ({ window: { ...window, time_zone: "Europe/Atlantis" }, path: "time_zone" }),
    ({ time_zone: _, ...window }) => ({ window, path: "time_zone" }),
    (window) => ({ window: { ...window, regular_hours: "always" }, path: "regular_hours" }),
    ({ time_zone }) => ({ window: { time_zone, regular_hours: [] }, path: "regular_hours" }),
    (window) => withPeriod(window, { active_start_day: "FUNDAY" }, "active_start_day"),
    (window) => withPeriod(window, { active_start_time: { hours: 24 } }, "active_start_time"),
    (window) => withPeriod(window, { active_end_time: { hours: 17, minutes: 60 } }, "active_end_time"),
    (window) => withPeriod(window, { active_end_time: { hours: 9 } }, "active_end_time"),
    (window) => withPeriod(window, { active_end_day: "WEDNESDAY" }, "active_end_day"),
    (window) => withSpecial(window, { active: "yes", start_date: leapDay }, "active"),
    (window) => withSpecial(window, { active: false }, ""),
    (window) => withSpecial(window, { active: false, start_date: { ...leapDay, year: 2025 } }, "start_date"),
    (window) =>
      withSpecial(window, { active: false, start_date: leapDay, end_date: { ...leapDay, day: 28 } }, "end_date"),
    (window) => withSpecial(window, { active: true, start_date: leapDay }, "active_start_time"),
    (window) => withSpecial(window, { active: false, recurrence: "FREQ=DAILY" }, "recurrence_start"),
    (window) => withSpecial(window, recurring("FREQ=HOURLY"), "recurrence"),
    (window) => withSpecial(window, recurring("FREQ=DAILY;COUNT=0"), "recurrence"),
    (window) => withSpecial(window, recurring("FREQ=DAILY;BYHOUR=9"), "recurrence")
  ]

const leapDay = { year: 2024, month: 2, day: 29 }

const recurring = (recurrence: string) => ({ active: false, recurrence, recurrence_start: leapDay })

const withPeriod = (window: RunWindow, wrong: object, field: string): InvalidWindow => ({
  window: { ...window, regular_hours: [...window.regular_hours, { ...nineToFive, ...wrong }] },
  path: `regular_hours[${window.regular_hours.length}].${field}`
})

const withSpecial = (window: RunWindow, entry: object, field: string): InvalidWindow => {
  const others = window.special_hours ?? []
  return {
    window: { ...window, special_hours: [...others, entry] },
    path: `special_hours[${others.length}]${field === "" ? "" : `.${field}`}`
  }
}

const invalidWindows = Generated.map(
  Generated.record({ window: windows, spoil: Generated.oneOf(faults) }),
  ({ spoil, window }) => spoil(window)
)

const instantsNearChange = (name: string, from: number, until: number): Generated.Generated<number> => {
  const changes: Array<number> = []
  for (let at = Zone.get(name).segmentAt(from).until; at < until; ) {
    const { offset, until: next } = Zone.get(name).segmentAt(at)
    if (offset !== Zone.get(name).segmentAt(at - 1).offset) changes.push(at)
    at = next
  }
  const [first = null, ...others] = changes
  if (first === null) {
    const minutes = Math.floor((until - from) / 60_000)
    return Generated.map(Generated.integer(0, minutes), (minute) => from + minute * 60_000)
  }
  return Generated.map(
    Generated.record({
      change: Generated.oneOf([first, ...others]),
      beside: Generated.oneOf([0, -1, 1]),
      minutes: Generated.integer(-120, 120)
    }),
    ({ beside, change, minutes }) => change + minutes * 60_000 + beside
  )
}

/** Every zone that a window may name, half of the time one of twelve of a special kind. Shrinks towards UTC. */
export const zone: Arbitrary.Arbitrary<string> = Generated.arbitrary(zones)

/** Epoch milliseconds near days on which something happens to clocks, often at whole minutes and just beside them. */
export const instant: Arbitrary.Arbitrary<number> = Generated.arbitrary(instants)

/**
 * Recurrence rules with every part that a window takes. Incompatible parts are not combined, so that each rule is
 * valid. Shrinks towards `FREQ=DAILY`.
 */
export const recurrence: Arbitrary.Arbitrary<string> = Generated.arbitrary(
  Generated.map(ruleParts, (one) => ruleOf(one))
)

/**
 * Valid windows: shifts and nights, closings and openings, labels, dated entries with and without an end, recurring ones
 * with every part of a rule, windows without weekly hours, in every zone. Shrinks towards one period of a day in UTC.
 */
export const runWindow: Arbitrary.Arbitrary<RunWindow> = Generated.arbitrary(windows)

/** Windows with one problem, and the path at which it must be reported. */
export const invalidRunWindow: Arbitrary.Arbitrary<InvalidWindow> = Generated.arbitrary(invalidWindows)

/**
 * Instants about the changes of the clocks of a known zone between two instants: at a change, a millisecond beside it,
 * and up to two hours from it. Any whole minutes between the two, where there is no change. In epoch milliseconds.
 */
export const instantNearChange = (name: string, from: number, until: number): Arbitrary.Arbitrary<number> =>
  Generated.arbitrary(instantsNearChange(name, from, until))

/** The same values for fast-check, by `fastCheck`. */
export const generated = {
  zone: zones,
  instant: instants,
  instantNearChange: instantsNearChange,
  runWindow: windows,
  invalidRunWindow: invalidWindows
}

/**
 * An arbitrary of fast-check, of the copy of it that is given. It shrinks as the one of Effect does. The type is that of
 * the variable or parameter that takes it.
 *
 * **Example** (A property with fast-check)
 *
 * ```ts
 * import fc from "fast-check"
 * import { Result } from "effect"
 * import * as RunWindow from "@sluice/core/window"
 * import * as Testing from "@sluice/testing"
 *
 * const windows: fc.Arbitrary<RunWindow.RunWindow> = Testing.fastCheck(fc, Testing.generated.runWindow)
 * fc.assert(fc.property(windows, (window) => Result.isSuccess(RunWindow.validate(window))))
 * ```
 */
export const fastCheck: <A, Own extends Generated.Produces<A>>(
  fc: Generated.FastCheck,
  generated: Generated.Generated<A>
) => Own = Generated.fastCheck
