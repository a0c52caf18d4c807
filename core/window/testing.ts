/**
 * For tests of programs that deal with time: generated windows, zones and instants that shrink well, and a clock that is
 * moved by hand. `runWindow` and `instant` are arbitraries for properties.
 *
 * **Example** (A clock that is moved by hand)
 *
 * ```ts
 * import { Clock, Effect } from "effect"
 * import * as WindowTesting from "@sluice/core/testing"
 *
 * const clock = WindowTesting.movableClock(Date.parse("2026-01-12T21:00:00Z"))
 * clock.advance(60_000)
 * const now = Effect.runSync(Clock.currentTimeMillis.pipe(Effect.provide(WindowTesting.layerClock(clock))))
 *
 * new Date(now).toISOString() // => "2026-01-12T21:01:00.000Z"
 * ```
 */
import { Arbitrary, Clock, Duration, Effect, Layer, Schema } from "effect"
import { Day, type RegularPeriod, type RunWindow, type SpecialHours } from "./Definition.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Zones of every kind: without and with summer time, at half hours, with odd changes; the plainest first. */
export const zone: Arbitrary.Arbitrary<string> = Arbitrary.schema(
  Schema.Literals([
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
  ])
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

/** Epoch milliseconds near days on which something happens to clocks, often at whole minutes and just beside them. */
export const instant: Arbitrary.Arbitrary<number> = Arbitrary.schema(
  Schema.Struct({
    day: whole(0, eventfulDays.length - 1),
    minute: whole(-1_440, 2_880),
    beside: Schema.Literals([0, 0, 1, -1, 30_000])
  })
).pipe(Arbitrary.map(({ beside, day, minute }) => (eventfulDays[day] ?? 0) + minute * 60_000 + beside))

const time = Schema.Struct({ hours: whole(0, 23), minutes: Schema.Literals([0, 15, 30, 59, 1]) })

const period = Schema.Struct({ day: whole(0, 6), overnight: Schema.Boolean, from: time, to: time })

const date = Schema.Struct({ day: whole(0, eventfulDays.length - 1), shift: whole(-2, 2) })

const rules = [
  "FREQ=DAILY",
  "FREQ=DAILY;INTERVAL=3",
  "FREQ=WEEKLY;BYDAY=MO,FR",
  "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU",
  "FREQ=MONTHLY;BYMONTHDAY=1,-1",
  "FREQ=MONTHLY;BYDAY=2TU,-1FR",
  "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
  "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",
  "FREQ=YEARLY;BYWEEKNO=53",
  "FREQ=YEARLY;BYYEARDAY=-1",
  "FREQ=DAILY;COUNT=10"
] as const

const special = Schema.Struct({
  active: Schema.Boolean,
  start: date,
  days: whole(0, 3),
  recurrence: Schema.NullOr(Schema.Literals(rules)),
  from: time,
  to: time
})

/** Valid windows: shifts and nights, closings and openings, dated and recurring, in every zone of `zone`. */
export const runWindow: Arbitrary.Arbitrary<RunWindow> = Arbitrary.all([
  zone,
  Arbitrary.schema(Schema.Array(period).check(Schema.isMinLength(1), Schema.isMaxLength(5))),
  Arbitrary.schema(Schema.Array(special).check(Schema.isMaxLength(4)))
]).pipe(
  Arbitrary.map(([time_zone, periods, specials]) => ({
    time_zone,
    regular_hours: periods.map(toPeriod),
    ...(specials.length === 0 ? {} : { special_hours: specials.map(toSpecial) })
  }))
)

/** Manually advanced clock; sleepers resume at their deadline. */
export interface MovableClock extends Clock.Clock {
  /** Sets the time, in epoch milliseconds. Going back resumes no sleeper. */
  readonly set: (at: number) => void
  /** Advances the time by a number of milliseconds. */
  readonly advance: (millis: number) => void
}

/** Makes a clock that shows `at`, in epoch milliseconds. */
export const movableClock = (at = 0): MovableClock => {
  let now = at
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  const nanos = () => BigInt(Math.round(now * 1_000)) * 1_000n
  const set = (to: number) => {
    now = to
    for (const sleeper of [...sleepers].sort((a, b) => a.until - b.until)) {
      if (sleeper.until > now) break
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  return {
    set,
    advance: (millis) => set(now + millis),
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const sleeper = { until: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        if (sleeper.until <= now) return sleeper.wake()
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }
}

/** Gives a program this clock. */
export const layerClock = (clock: MovableClock): Layer.Layer<never> => Layer.succeed(Clock.Clock, clock)

const minuteOf = ({ hours, minutes }: typeof time.Type): number => hours * 60 + minutes

/** The two times in their order, and apart. */
const ordered = (from: typeof time.Type, to: typeof time.Type) => {
  if (minuteOf(from) === minuteOf(to))
    return [
      { hours: 8, minutes: 0 },
      { hours: 18, minutes: 0 }
    ] as const
  return minuteOf(from) < minuteOf(to) ? ([from, to] as const) : ([to, from] as const)
}

const dayAt = (index: number): Day => Day.literals[index % 7] ?? "MONDAY"

const toPeriod = ({ day, from, overnight, to }: typeof period.Type): RegularPeriod => {
  const [start, end] = overnight ? [from, to] : ordered(from, to)
  return {
    active_start_day: dayAt(day),
    active_start_time: start,
    active_end_day: dayAt(overnight ? day + 1 : day),
    active_end_time: end
  }
}

const toSpecial = ({ active, days, from, recurrence, start, to }: typeof special.Type): SpecialHours => {
  const first = (eventfulDays[start.day] ?? 0) + start.shift * dayMillis
  const [opens, closes] = ordered(from, to)
  return {
    active,
    ...(recurrence === null
      ? { start_date: calendarDate(first), end_date: calendarDate(first + days * dayMillis) }
      : { recurrence, recurrence_start: calendarDate(first - 1_000 * dayMillis) }),
    ...(active ? { active_start_time: opens, active_end_time: closes } : {})
  }
}

const calendarDate = (at: number) => {
  const utc = new Date(at)
  return { year: utc.getUTCFullYear(), month: utc.getUTCMonth() + 1, day: utc.getUTCDate() }
}
