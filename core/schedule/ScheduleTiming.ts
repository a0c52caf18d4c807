/**
 * When a schedule fires: by a cron expression, by a recurrence rule, or whenever the run window of its workflow opens.
 *
 * Instants are epoch milliseconds.
 */
import { Result, Schema } from "effect"
import * as CivilDate from "../window/calendar/CivilDate.ts"
import * as Zone from "../window/calendar/Zone.ts"
import { CalendarDate, Time } from "../window/Definition.ts"
import * as RunWindow from "../window/RunWindow.ts"
import * as Warnings from "../window/Warnings.ts"
import * as CronExpression from "./CronExpression.ts"
import * as LocalTimes from "./LocalTimes.ts"
import * as RecurrenceTimes from "./RecurrenceTimes.ts"

export const Timing = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("cron"), cron: Schema.String, timeZone: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("recurrence"),
    recurrence: Schema.String,
    start: CalendarDate,
    time: Time,
    timeZone: Schema.String
  }),
  /** Without a zone, local times are those of the window. */
  Schema.Struct({ kind: Schema.Literal("window_opening"), timeZone: Schema.NullOr(Schema.String) })
])
export type Timing = typeof Timing.Type

/** The instants of a timing. Each query examines few dates. */
export interface Instants {
  /** The first one after an instant; `null` when none is known. */
  readonly next: (after: number) => number | null
  /** The last one at or before `upTo` and after `after`; `null` when there is none. */
  readonly last: (upTo: number, after: number) => number | null
}

/** A problem of a timing: the field of it that is wrong, and a sentence. */
export interface TimingProblem {
  readonly field: "cron" | "recurrence"
  readonly message: string
}

type ByCalendar = Exclude<Timing, { readonly kind: "window_opening" }>

/** The dates and times of a timing, in a known zone. */
const timesOf = (timing: ByCalendar): Result.Result<Times, ReadonlyArray<TimingProblem>> => {
  const zone = Zone.get(timing.timeZone)
  if (timing.kind === "cron") {
    return Result.mapBoth(CronExpression.parse(timing.cron), {
      onSuccess: ({ isInterval, onDate, times }) => ({ ...unbounded, zone, onDate, times, isInterval }),
      onFailure: (messages) => messages.map((message): TimingProblem => ({ field: "cron", message }))
    })
  }
  const { day, month, year } = timing.start
  const start = { day: CivilDate.fromYmd(year, month, day), time: timing.time.hours * 60 + (timing.time.minutes ?? 0) }
  return Result.mapBoth(RecurrenceTimes.parse(timing.recurrence, start), {
    onSuccess: (found) => ({ ...found, zone, isInterval: false }),
    onFailure: (message): ReadonlyArray<TimingProblem> => [{ field: "recurrence", message }]
  })
}

interface Times extends LocalTimes.LocalTimes {
  /** The last instant. */
  readonly until: number
}

const unbounded = {
  first: Number.NEGATIVE_INFINITY,
  last: Number.POSITIVE_INFINITY,
  until: Number.POSITIVE_INFINITY
}

/**
 * The problems of a timing whose zone is known, including that it has no date from `now`
 * on.
 */
export const problems = (timing: Timing, now: number): ReadonlyArray<TimingProblem> => {
  if (timing.kind === "window_opening") return []
  const times = timesOf(timing)
  if (Result.isFailure(times)) return times.failure
  const { zone } = times.success
  const fires =
    LocalTimes.hasDate(times.success, LocalTimes.dayAt(zone, now)) && instantsOf(times.success).next(now) !== null
  if (fires) return []
  const which = timing.kind === "cron" ? "no date in the next 100 years matches it" : "it has no date after now"
  return [{ field: timing.kind, message: `The schedule would never fire: ${which}` }]
}

/** What the author of a timing without problems may not have meant. */
export const warnings = (timing: Timing): ReadonlyArray<TimingProblem> => {
  if (timing.kind === "window_opening") return []
  if (timing.kind === "cron") {
    const parsed = CronExpression.parse(timing.cron)
    const found = Result.isSuccess(parsed) ? parsed.success.warnings : []
    return found.map((message) => ({ field: "cron", message }))
  }
  const message = Warnings.everyMonth(timing.recurrence)
  return message === null ? [] : [{ field: "recurrence", message }]
}

/** The instants of a timing that has no problems, for a workflow with this window. */
export const instants = (timing: Timing, window: RunWindow.ValidRunWindow | null): Instants => {
  if (timing.kind === "window_opening") return window === null ? never : openings(RunWindow.compile(window))
  const key = JSON.stringify(timing)
  const known = compiled.get(key)
  if (known !== undefined) return known
  const made = instantsOf(Result.getOrThrowWith(timesOf(timing), () => new Error(`A stored timing is wrong: ${key}`)))
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(key, made)
  return made
}

/** Many schedules have the same timing, and a tick asks about many. */
const compiled = new Map<string, Instants>()
const maxCompiled = 1_000

const never: Instants = { next: () => null, last: () => null }

const instantsOf = (times: Times): Instants => ({
  next: (after) => {
    const found = LocalTimes.next(times, after)
    return found === null || found > times.until ? null : found
  },
  last: (upTo, after) => LocalTimes.last(times, Math.min(upTo, times.until), after)
})

/** The instants at which a window opens by its hours, not those at which an edit opens it. */
const openings = (schedule: RunWindow.Schedule): Instants => ({
  next: (after) => {
    const found = RunWindow.opening(schedule, after)
    if (found === null || found.opensAt > after) return found?.opensAt ?? null
    if (found.closesAt === null) return null
    return RunWindow.opening(schedule, found.closesAt)?.opensAt ?? null
  },
  last: (upTo, after) => {
    const closedSince = RunWindow.closedSince(schedule, upTo)
    const within = RunWindow.isOpen(schedule, upTo) ? upTo : closedSince === null ? null : closedSince - 1
    const opensAt = within === null ? null : (RunWindow.opening(schedule, within)?.opensAt ?? null)
    // A window that has been open for longer than the horizon has no known opening.
    return opensAt === null || opensAt <= after || RunWindow.isOpen(schedule, opensAt - 1) ? null : opensAt
  }
})

/** The zone in which the local times of a schedule are shown. */
export const zoneOf = (timing: Timing, window: RunWindow.ValidRunWindow | null): Zone.Zone =>
  Zone.get(timing.timeZone ?? window?.time_zone ?? "UTC")
