/**
 * The holds on the waiting runs of one workflow, and their ends.
 *
 * A gate combines independent holds: the run window being closed, and a manual pause. Runs may start only while no hold
 * is in force. Being held is never written on a run: it follows from the gate and an instant, so that one edit holds or
 * releases any number of runs.
 *
 * Everything here is a function of its arguments; instants are epoch milliseconds.
 *
 * **Example** (A closed window and a manual pause, each of which holds runs)
 *
 * ```ts
 * import { Result } from "effect"
 * import * as Gate from "@sluice/core/gate"
 * import * as RunWindow from "@sluice/core/window"
 *
 * const { window } = Result.getOrThrow(RunWindow.validate({
 *   time_zone: "UTC",
 *   regular_hours: [{ active_start_day: "MONDAY", active_start_time: { hours: 9 },
 *     active_end_day: "MONDAY", active_end_time: { hours: 17 } }]
 * }))
 * const [sunday, monday] = [Date.parse("2026-01-11T12:00:00Z"), Date.parse("2026-01-12T12:00:00Z")]
 * const windowed = Gate.setWindow(Gate.open, window, { at: 0, by: "ada" })
 * const paused = Gate.pause(windowed, { at: sunday, by: "ada" }, { reason: "Holidays", until: null })
 *
 * Gate.mayStart(windowed, monday) // => true
 * Gate.mayStart(paused, monday) // => false
 * Gate.holds(paused, sunday).map(({ kind }) => kind) // => ["run_window","manual"]
 * ```
 */
import { Result, Schema } from "effect"
import * as RunWindow from "../window/RunWindow.ts"
import * as Pace from "./Pace.ts"

/** A closed window that counts as open from `since` until its next regular opening. */
export interface Lift {
  readonly since: number
  readonly by: string
}

/** A person's decision that no run of the workflow may start. */
export interface Pause {
  readonly since: number
  /** When the pause ends automatically; `null` if only a user can end it. */
  readonly until: number | null
  readonly by: string
  readonly reason: string
}

/** A user's decision that one run starts although the run window is closed. It lasts until the run has ended. */
export interface Release {
  readonly at: number
  readonly by: string
  /** The `since` of the manual pause that it passes too; `null` if it passes none. A later pause holds the run again. */
  readonly pause: number | null
}

export interface Gate {
  readonly runWindow: RunWindow.ValidRunWindow | null
  /** When and by whom the window was last set or removed; `null` when the workflow never had one. */
  readonly windowSet: { readonly at: number; readonly by: string } | null
  /** Grows by one whenever the window is set or removed; 0 when the workflow never had one. */
  readonly windowRevision: number
  /** Grows by one with every change, so that a reader can distinguish two states of one gate. */
  readonly revision: number
  readonly lift: Lift | null
  readonly pause: Pause | null
  /** How fast its runs may start; `null` for as fast as there are workers. It limits starts, and is no hold. */
  readonly pace: Pace.Pace | null
  /** When the workflow was deleted; `null` while it exists. No run of a deleted workflow starts. */
  readonly removedAt: number | null
}

/** A lift or a manual pause that is in force at one instant. `until` is `null` when no end is known. */
export interface InForce {
  readonly lift: (Lift & { readonly until: number | null }) | null
  readonly pause: Pause | null
}

/** One reason why runs may not start now. `until` is `null` when no end is known. */
export interface Hold {
  readonly kind: "run_window" | "manual"
  readonly since: number
  readonly until: number | null
  readonly by: string
  readonly reason: string
}

/**
 * The interval `[startsAt, stopsAt)` in which runs may start, current or next.
 *
 * Within it no hold is in force at any instant. `stopsAt` may come before the gate really closes, where that lies
 * beyond the 400 days a window is looked ahead, but never after: ask again then. `Infinity` means that only a change
 * ends it.
 */
export interface StartInterval {
  readonly startsAt: number
  readonly stopsAt: number
}

/** The author and the instant of a change of a gate. */
export interface Actor {
  readonly at: number
  readonly by: string
}

/** Raised by a lift when there is no closed window to lift. */
export class WindowIsOpen extends Schema.TaggedError<WindowIsOpen>()("WindowIsOpen", {}) {}

/** The gate of a workflow that was never given a window nor paused: always open. */
export const open: Gate = {
  runWindow: null,
  windowSet: null,
  windowRevision: 0,
  revision: 0,
  lift: null,
  pause: null,
  pace: null,
  removedAt: null
}

/** Replaces the window. A lift ends, regardless of the new window; a manual pause stays. */
export const setWindow = (gate: Gate, runWindow: RunWindow.ValidRunWindow, actor: Actor): Gate =>
  changed(gate, { runWindow, windowSet: actor, windowRevision: gate.windowRevision + 1, lift: null })

/** Removes the window, and with it a lift; a manual pause stays. A gate without a window is returned unchanged. */
export const removeWindow = (gate: Gate, actor: Actor): Gate =>
  gate.runWindow === null
    ? gate
    : changed(gate, { runWindow: null, windowSet: actor, windowRevision: gate.windowRevision + 1, lift: null })

/**
 * Lets runs start although the window is closed, until it next opens, is edited or is removed.
 *
 * Fails with `WindowIsOpen` when there is no window, when it is open at `actor.at`, or when a lift is already in force.
 */
export const liftWindow = (gate: Gate, actor: Actor): Result.Result<Gate, WindowIsOpen> =>
  windowAllows(gate, actor.at)
    ? Result.fail(new WindowIsOpen())
    : Result.succeed(changed(gate, { lift: { since: actor.at, by: actor.by } }))

/** Holds every run of the workflow until `until` or an unpause. A present pause is replaced. */
export const pause = (
  gate: Gate,
  actor: Actor,
  options: { readonly reason: string; readonly until: number | null }
): Gate => changed(gate, { pause: { since: actor.at, by: actor.by, ...options } })

/** Ends the manual pause only. A gate that is not paused is returned unchanged. */
export const unpause = (gate: Gate): Gate => (gate.pause === null ? gate : changed(gate, { pause: null }))

/** Sets how fast runs may start, or with `null` that nothing limits it. The same pace again is no change. */
export const setPace = (gate: Gate, pace: Pace.Pace | null): Gate =>
  Pace.isSame(gate.pace, pace) ? gate : changed(gate, { pace })

/** The gate while its window is known to let runs start: the window and a lift hold nothing then. */
export const withoutWindow = (gate: Gate): Gate => ({ ...gate, runWindow: null, lift: null })

/** The gate as it holds a run that was released: without its window, and without the pause that the release passes. */
export const past = (gate: Gate, release: Release | null): Gate =>
  release === null ? gate : { ...withoutWindow(gate), pause: gate.pause?.since === release.pause ? null : gate.pause }

/** Shuts the gate for good, as its workflow is deleted. */
export const remove = (gate: Gate, at: number): Gate => changed(gate, { removedAt: at })

/** Returns whether runs may start at `at`: no hold is in force, and the workflow exists. */
export const mayStart = (gate: Gate, at: number): boolean =>
  gate.removedAt === null && !isPaused(gate, at) && windowAllows(gate, at)

/**
 * Lists the holds in force at `at`, the run window first. Empty exactly when `mayStart`, or when the workflow is
 * deleted: a deleted workflow never opens again.
 */
export const holds = (gate: Gate, at: number): ReadonlyArray<Hold> => {
  if (gate.removedAt !== null) return []
  const standing: Array<Hold> = []
  if (gate.runWindow !== null && !windowAllows(gate, at)) {
    const schedule = scheduleOf(gate.runWindow)
    const until = RunWindow.opening(schedule, at)?.opensAt ?? null
    standing.push({
      kind: "run_window",
      since: Math.max(gate.windowSet?.at ?? 0, RunWindow.closedSince(schedule, at) ?? 0),
      until,
      by: gate.windowSet?.by ?? "",
      reason:
        until === null
          ? "The run window is closed and does not open within the next 400 days"
          : `The run window is closed and next opens at ${isoInstant(until)}`
    })
  }
  if (gate.pause !== null && isPaused(gate, at)) {
    standing.push({ kind: "manual", ...gate.pause })
  }
  return standing
}

/**
 * The state of the window, as the RunWindowResponse reports it: a lifted window is open. A manual pause does not show.
 */
export const windowState = (gate: Gate, at: number): RunWindow.RunWindowState | null => {
  if (gate.runWindow === null) return null
  return inForce(gate, at).lift === null
    ? RunWindow.state(scheduleOf(gate.runWindow), at)
    : { open: true, nextOpenAt: null }
}

/** The lift and the manual pause that are in force at `at`. */
export const inForce = (gate: Gate, at: number): InForce => ({
  lift: liftInForce(gate, at),
  pause: isPaused(gate, at) ? gate.pause : null
})

/**
 * Finds the current or next interval in which runs may start, seen from `at`.
 *
 * `null` when none is in sight: the workflow is deleted, or paused without an end, or its window does not open within 400 days of
 * the first instant at which the pause allows it. For a current interval `startsAt` is `at` or earlier.
 */
export const startInterval = (gate: Gate, at: number): StartInterval | null => {
  if (gate.removedAt !== null) return null
  const from = isPaused(gate, at) ? (gate.pause?.until ?? null) : at
  if (from === null) return null
  if (gate.runWindow === null) return { startsAt: from, stopsAt: Infinity }
  const schedule = scheduleOf(gate.runWindow)
  const lifted = gate.lift !== null && from < liftEnd(schedule, gate.lift, from)
  // A lift ends where the window opens, so the opening after it continues the interval.
  const next = RunWindow.opening(schedule, from)
  if (next === null) return lifted ? { startsAt: from, stopsAt: from + lookAgainMillis } : null
  return { startsAt: lifted ? from : Math.max(from, next.opensAt), stopsAt: next.closesAt ?? from + lookAgainMillis }
}

/**
 * Whether a stored interval, which is not over at `at`, opens or closes at another instant than the gate does by the time
 * zone data of this process. A stored end that was only the limit of how far was looked is no closing.
 */
export const opensOtherwise = (gate: Gate, stored: StartInterval | null, at: number): boolean => {
  const now = startInterval(gate, at)
  if (stored === null || now === null) return stored !== now
  if (Math.max(stored.startsAt, at) !== Math.max(now.startsAt, at)) return true
  return now.stopsAt < stored.stopsAt || (now.stopsAt > stored.stopsAt && now.stopsAt !== at + lookAgainMillis)
}

/**
 * The instant at which `startInterval` must be asked again because time alone may change its answer; `Infinity` when it
 * cannot. `found` is what `startInterval(gate, at)` answered.
 */
export const nextReviewAt = (gate: Gate, found: StartInterval | null, at: number): number => {
  if (found !== null) return found.stopsAt
  const shutForGood = gate.removedAt !== null || (gate.pause !== null && gate.pause.until === null)
  return shutForGood ? Infinity : at + lookAgainMillis
}

/**
 * How long an answer "not within 400 days" is believed. Half the horizon: what opens or closes beyond it comes into
 * sight long before it happens.
 */
const lookAgainMillis = RunWindow.horizonMillis / 2

const changed = (gate: Gate, change: Partial<Gate>): Gate => ({ ...gate, ...change, revision: gate.revision + 1 })

const isPaused = (gate: Gate, at: number): boolean =>
  gate.pause !== null && (gate.pause.until === null || at < gate.pause.until)

/**
 * When a lift ends: at the first opening after it was set, however far away. Openings later than one horizon after
 * `at` are not looked for and count as never.
 */
const liftEnd = (schedule: RunWindow.Schedule, lift: Lift, at: number): number => {
  for (let from = lift.since; from <= at; from += RunWindow.horizonMillis) {
    const next = RunWindow.opening(schedule, from)
    if (next !== null) return next.opensAt
  }
  return Infinity
}

const windowAllows = (gate: Gate, at: number): boolean =>
  gate.runWindow === null || liftInForce(gate, at) !== null || RunWindow.isOpen(scheduleOf(gate.runWindow), at)

const liftInForce = ({ lift, runWindow }: Gate, at: number): InForce["lift"] => {
  if (runWindow === null || lift === null) return null
  const end = liftEnd(scheduleOf(runWindow), lift, at)
  return at < end ? { ...lift, until: end === Infinity ? null : end } : null
}

/** Windows are immutable values, so one compilation serves every question about the same one. */
const schedules = new WeakMap<RunWindow.ValidRunWindow, RunWindow.Schedule>()

const scheduleOf = (runWindow: RunWindow.ValidRunWindow): RunWindow.Schedule => {
  const known = schedules.get(runWindow)
  if (known !== undefined) return known
  const compiled = RunWindow.compile(runWindow)
  schedules.set(runWindow, compiled)
  return compiled
}

const isoInstant = (at: number): string => new Date(at).toISOString()
