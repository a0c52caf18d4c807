/**
 * Run windows: the hours in which the runs of a workflow may start.
 *
 * A window is weekly hours and special dates in the wall-clock time of one zone. Nothing here reads a clock: the instant
 * is always an argument, in epoch milliseconds, and answers do not depend on where the program runs.
 *
 * **Example** (Validate a window and ask whether it is open)
 *
 * ```ts
 * import { Result } from "effect"
 * import * as RunWindow from "@sluice/core/window"
 *
 * const { window } = Result.getOrThrow(RunWindow.validate({
 *   time_zone: "Europe/Berlin",
 *   regular_hours: [{
 *     active_start_day: "MONDAY", active_start_time: { hours: 22 },
 *     active_end_day: "TUESDAY", active_end_time: { hours: 6 }
 *   }]
 * }))
 * const schedule = RunWindow.compile(window)
 *
 * RunWindow.isOpen(schedule, Date.parse("2026-01-12T21:00:00Z")) // => true, Monday 22:00 in Berlin
 * RunWindow.isOpen(schedule, Date.parse("2026-01-13T05:00:00Z")) // => false, Tuesday 06:00
 * ```
 */
import { Result, Schema } from "effect"
import * as Zone from "./calendar/Zone.ts"
import * as Definition from "./Definition.ts"
import * as Explanations from "./Explanation.ts"
import * as Schedules from "./Schedule.ts"
import * as UnknownFields from "./UnknownFields.ts"
import * as Validation from "./Validation.ts"
import * as Warnings from "./Warnings.ts"

/** Schema of a window in the form of the interface. It does not check what only `validate` can, such as real dates. */
export const RunWindow = Definition.RunWindow
export type RunWindow = Definition.RunWindow

/** A window that keeps every rule: only `validate` makes one. The evaluator takes nothing else. */
export type ValidRunWindow = Definition.ValidRunWindow

/** Schema of a problem or a warning with its path in the window. */
export const RunWindowIssue = Definition.RunWindowIssue
export type RunWindowIssue = Definition.RunWindowIssue

/** The failure of `validate`: every problem of a window, each at its path. */
export const InvalidRunWindow = Definition.InvalidRunWindow
export type InvalidRunWindow = Definition.InvalidRunWindow

/** A compiled window. Compiling is costly and evaluating is cheap: keep it for as long as the window is in use. */
export type Schedule = Schedules.Schedule

/** A maximal interval `[opensAt, closesAt)` in which a window is open throughout. */
export type Opening = Schedules.Opening

/** Why a window is open or closed at an instant. */
export type Explanation = Explanations.Explanation

/** An opening, and the parts of the window that decide its beginning. */
export interface ExplainedOpening extends Opening {
  readonly deciders: ReadonlyArray<Explanations.Decider>
}

/** Whether runs may start, and if not, when they may. `nextOpenAt` is `null` when open, and when there is no opening within `horizonMillis`. */
export interface RunWindowState {
  readonly open: boolean
  readonly nextOpenAt: number | null
}

/** Schema of the state as the interface answers it, with the instant as an ISO 8601 text. */
export const RunWindowStateJson = Schema.Struct({
  open: Schema.Boolean,
  nextOpenAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RunWindowState" })

/** The version of the runtime's time zone data, such as `2026a`; `null` where the runtime does not tell. */
export const tzData: string | null = Zone.dataVersion

/** The horizon of the search for openings, in milliseconds: 400 days of 24 hours, the last instant included. */
export const horizonMillis = Definition.horizonMillis

/**
 * Checks a window of any origin and lists every problem at its path.
 *
 * **Details**
 *
 * The answered window has the known fields as they were sent; `null` counts as left out, unknown fields are dropped. A
 * valid window may come with warnings, for example when `recurrence_start` is not a date that its rule produces, or
 * when a field is unknown. With `now`, it is also warned of a window that does not open within `horizonMillis`, of entries that have no effect from then
 * on, and of hours that a change of clocks skips.
 */
export const validate = (
  input: unknown,
  options: { readonly now?: number } = {}
): Result.Result<
  { readonly window: ValidRunWindow; readonly warnings: ReadonlyArray<RunWindowIssue> },
  Definition.InvalidRunWindow
> =>
  Result.map(Validation.read(input), (window) => ({
    window,
    warnings: [
      ...unknownFields(input),
      ...Warnings.lasting(window),
      ...(options.now === undefined ? [] : Warnings.upcoming(window, options.now))
    ]
  }))

/** A warning for each field of a window that it does not have, such as `minute` for `minutes`. */
export const unknownFields = (input: unknown): ReadonlyArray<RunWindowIssue> =>
  UnknownFields.of(Definition.RunWindow, input).map(({ message, name, path }) => ({
    path,
    message: `A run window has no field ${name.slice(0, 80)} here, so it has no effect: ${message}`
  }))

/**
 * A window as a store returns it. Only for a value that `validate` accepted before it was stored: nothing is checked
 * here.
 */
export const stored = (window: unknown): ValidRunWindow => window as ValidRunWindow

/** Compiles a valid window for evaluation. */
export const compile = (window: ValidRunWindow): Schedule => {
  // Callers without types pass a window that was not validated, or the whole result of `validate`.
  const { regular_hours, time_zone }: Partial<ValidRunWindow> = window ?? {}
  if (typeof time_zone === "string" && Array.isArray(regular_hours)) return Schedules.compile(window)
  throw new TypeError(
    "RunWindow.compile takes the window in the success of RunWindow.validate; it was given another value"
  )
}

/**
 * Returns whether runs may start at `at`.
 *
 * **Details**
 *
 * Decided by the local date and time alone, to the millisecond, with half-open hours. A repeated hour is therefore open
 * both times, and a skipped one never.
 */
export const isOpen = (schedule: Schedule, at: number): boolean =>
  Schedules.isOpen(compiled("isOpen", schedule), instant("isOpen", at))

/**
 * The state at `at`, and the first instant after it at which the window is open.
 *
 * **Details**
 *
 * `nextOpenAt` is `null` when the window is open at `at`, and when it does not open within `horizonMillis`, an opening
 * exactly then included.
 */
export const state = (schedule: Schedule, at: number): RunWindowState => {
  const next = Schedules.first(compiled("state", schedule), "open", instant("state", at), at + horizonMillis)
  return next === at ? { open: true, nextOpenAt: null } : { open: false, nextOpenAt: next }
}

/**
 * The opening that holds `at`, or else the next one; `null` when there is none within `horizonMillis` of `at`.
 *
 * **Details**
 *
 * `closesAt` is `null` when the opening lasts longer than `horizonMillis` from `at`, or from its beginning if that is
 * later. For an opening that began longer ago than `horizonMillis`, `opensAt` is `at`.
 */
export const opening = (schedule: Schedule, at: number): Opening | null =>
  Schedules.opening(compiled("opening", schedule), instant("opening", at))

/**
 * Up to `count` openings from `from` on, in order, the first as `opening` gives it. It ends where no further one lies
 * within `horizonMillis` of the end of the one before.
 */
export const openings = (schedule: Schedule, from: number, count: number): ReadonlyArray<ExplainedOpening> => {
  compiled("openings", schedule)
  instant("openings", from)
  const found: Array<ExplainedOpening> = []
  for (let next = opening(schedule, from); next !== null && found.length < count; ) {
    const { deciders } = Explanations.explain(schedule, Math.max(next.opensAt, from))
    found.push({ ...next, deciders })
    next = next.closesAt === null ? null : opening(schedule, next.closesAt)
  }
  return found
}

/**
 * The times in which the window is open from `from` until before `to`, in order, cut at both ends. Each is as long as can
 * be: between two of them the window is closed. Takes time in proportion to the days in between.
 */
export const between = (
  schedule: Schedule,
  from: number,
  to: number
): ReadonlyArray<{ readonly opensAt: number; readonly closesAt: number }> => {
  compiled("between", schedule)
  const end = instant("between", to)
  const found: Array<{ readonly opensAt: number; readonly closesAt: number }> = []
  for (let at = instant("between", from); at < end; ) {
    const opensAt = Schedules.first(schedule, "open", at, end)
    if (opensAt === null || opensAt >= end) break
    at = Math.min(Schedules.first(schedule, "closed", opensAt, end) ?? end, end)
    found.push({ opensAt, closesAt: at })
  }
  return found
}

/** Since when a window that is closed at `at` has been closed; `null` when open, or closed for over `horizonMillis`. */
export const closedSince = (schedule: Schedule, at: number): number | null =>
  isOpen(schedule, at) ? null : Schedules.since(schedule, at)

/**
 * Explains the state at `at`: the local time, the level that rules the date, the parts that decide, and the version of the
 * time zone data by which all of it was computed.
 */
export const explain = (schedule: Schedule, at: number): Explanations.Explanation =>
  Explanations.explain(compiled("explain", schedule), instant("explain", at))

/** The largest distance of a representable date from the epoch, in milliseconds, in either direction. */
const furthestMillis = 8_640_000_000_000_000

/** Checks a schedule: untyped callers pass a window. */
const compiled = (asked: string, schedule: Schedule | undefined): Schedule => {
  if (schedule?.zone !== undefined) return schedule
  throw new TypeError(
    `RunWindow.${asked} takes a compiled window: call RunWindow.compile with the window that RunWindow.validate answered, and pass what it returns`
  )
}

/** Checks an instant: untyped callers pass a `Date`, or the `NaN` of a date that could not be parsed. */
const instant = (asked: string, at: unknown): number => {
  if (typeof at === "number" && Math.abs(at) <= furthestMillis) return at
  const shown = at instanceof Date ? "a Date: pass its getTime()" : typeof at === "number" ? String(at) : typeof at
  throw new RangeError(
    `RunWindow.${asked} takes an instant in epoch milliseconds from -8.64e15 to 8.64e15; it was given ${shown}`
  )
}
