/**
 * Run windows with values of `Temporal`: instants as questions, times in the zone of the window as answers. The answers
 * are of `@js-temporal/polyfill`, which no other module of this package loads.
 *
 * **Example** (The next opening in the zone of the window)
 *
 * ```ts
 * import { Temporal } from "@js-temporal/polyfill"
 * import { Result } from "effect"
 * import * as RunWindow from "@sluice/core/window"
 * import * as WindowTemporal from "@sluice/core/window/temporal"
 *
 * const { window } = Result.getOrThrow(RunWindow.validate({
 *   time_zone: "Asia/Kolkata",
 *   regular_hours: [{ active_start_day: "MONDAY", active_start_time: { hours: 9, minutes: 30 },
 *     active_end_day: "MONDAY", active_end_time: { hours: 17 } }]
 * }))
 * const asked = Temporal.Instant.from("2026-01-13T00:00:00Z")
 * const { nextOpenAt } = WindowTemporal.state(RunWindow.compile(window), asked)
 *
 * String(nextOpenAt) // => "2026-01-19T09:30:00+05:30[Asia/Kolkata]"
 * ```
 */
import { Temporal } from "@js-temporal/polyfill"
import * as RunWindow from "../RunWindow.ts"

/** An instant: a `Temporal.Instant` or `Temporal.ZonedDateTime`, of the polyfill or of the runtime. */
export interface At {
  readonly epochMilliseconds: number
}

/** A time in which a window is open throughout, in its zone. */
export interface Opening {
  readonly opensAt: Temporal.ZonedDateTime
  /** `null` where `RunWindow.opening` has no end. */
  readonly closesAt: Temporal.ZonedDateTime | null
}

/** As `RunWindow.isOpen`. */
export const isOpen = (schedule: RunWindow.Schedule, at: At): boolean =>
  RunWindow.isOpen(schedule, at.epochMilliseconds)

/** As `RunWindow.state`, with the next opening in the zone of the window. */
export const state = (
  schedule: RunWindow.Schedule,
  at: At
): { readonly open: boolean; readonly nextOpenAt: Temporal.ZonedDateTime | null } => {
  const { nextOpenAt, open } = RunWindow.state(schedule, at.epochMilliseconds)
  return { open, nextOpenAt: nextOpenAt === null ? null : zoned(schedule, nextOpenAt) }
}

/** As `RunWindow.opening`. */
export const opening = (schedule: RunWindow.Schedule, at: At): Opening | null => {
  const found = RunWindow.opening(schedule, at.epochMilliseconds)
  return found === null
    ? null
    : {
        opensAt: zoned(schedule, found.opensAt),
        closesAt: found.closesAt === null ? null : zoned(schedule, found.closesAt)
      }
}

/** As `RunWindow.between`. */
export const between = (
  schedule: RunWindow.Schedule,
  from: At,
  to: At
): ReadonlyArray<{ readonly opensAt: Temporal.ZonedDateTime; readonly closesAt: Temporal.ZonedDateTime }> =>
  RunWindow.between(schedule, from.epochMilliseconds, to.epochMilliseconds).map(({ closesAt, opensAt }) => ({
    opensAt: zoned(schedule, opensAt),
    closesAt: zoned(schedule, closesAt)
  }))

const zoned = ({ window }: RunWindow.Schedule, at: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(window.time_zone)
