/**
 * What a schedule will do: its next firings, each beside the run window of its workflow, and warnings.
 */
import type { Gate } from "../gate/Gate.ts"
import * as Zone from "../window/calendar/Zone.ts"
import * as RunWindow from "../window/RunWindow.ts"
import * as LocalTimes from "./LocalTimes.ts"
import * as RunSchedule from "./RunSchedule.ts"
import * as Timing from "./ScheduleTiming.ts"

type Previewed = Pick<RunSchedule.RunSchedule, "id" | "terms">

/** A schedule with the firings that are not decided, as far as they are known. */
type Stored = Pick<RunSchedule.RunSchedule, "id" | "terms" | "delayed" | "next" | "paused">

/** A future firing. Local times are written with their offset. */
export interface FutureFiring {
  readonly instant: number
  readonly firesAt: number
  readonly local: string
  /** In the zone of the run window; `null` where there is none. */
  readonly windowLocal: string | null
  /** Whether the run may start at once, by the window alone. */
  readonly windowOpen: boolean
  /** When the run can start by the window alone; `null` when no opening is known, or the run ends before it. */
  readonly startsAt: number | null
  /** When the run ends without a start, as the window does not open before; `null` where it starts or has no deadline. */
  readonly expiresAt: number | null
}

/** The next firings after an instant, at most `count`; with `stored`, after those whose delay has not ended. */
export const next = (
  schedule: Previewed,
  gate: Gate,
  after: number,
  count: number,
  stored: Stored | null = null
): ReadonlyArray<FutureFiring> => {
  const instants = RunSchedule.instantsOf(schedule, gate)
  const { runWindow } = gate
  const { startWithinMinutes } = schedule.terms
  const zone = Timing.zoneOf(schedule.terms.timing, runWindow)
  const firings = [...undecided(stored, after)].slice(0, count)
  for (let at = instants.next(after); at !== null && firings.length < count; at = instants.next(at)) {
    firings.push({ instant: at, firesAt: RunSchedule.firesAt(schedule, at) })
  }
  return firings.map(({ firesAt, instant }): FutureFiring => {
    const opening = runWindow === null ? null : RunWindow.opening(RunWindow.compile(runWindow), firesAt)
    const opensAt = runWindow === null ? firesAt : opening === null ? null : Math.max(firesAt, opening.opensAt)
    const deadline = startWithinMinutes === undefined ? null : firesAt + startWithinMinutes * 60_000
    const expires = deadline !== null && (opensAt === null || opensAt >= deadline)
    return {
      instant,
      firesAt,
      local: LocalTimes.shown(zone, instant),
      windowLocal: runWindow === null ? null : LocalTimes.shown(Zone.get(runWindow.time_zone), instant),
      windowOpen: opensAt === firesAt,
      startsAt: expires ? null : opensAt,
      expiresAt: expires ? deadline : null
    }
  })
}

/** The firings of instants up to `at` that are not decided: of a paused schedule there are none. */
const undecided = (stored: Stored | null, at: number): ReadonlyArray<RunSchedule.Delayed> => {
  if (stored === null || stored.paused !== null) return []
  const { delayed, next } = stored
  const first = next === null ? [] : [{ instant: next, firesAt: RunSchedule.firesAt(stored, next) }]
  return [...delayed, ...first].filter(({ instant }) => instant <= at).toSorted((a, b) => a.instant - b.instant)
}

/** Warnings about a valid schedule, as of `at`. */
export const warnings = (schedule: Previewed, gate: Gate, at: number): ReadonlyArray<RunWindow.RunWindowIssue> => [
  ...Timing.warnings(schedule.terms.timing).map(({ field, message }) => ({ path: field, message })),
  ...jitterWarnings(schedule, gate, at),
  ...windowWarnings(schedule, gate, at)
]

/** A delay that is longer than the time between two firings, or than what is left of an opening. */
const jitterWarnings = (schedule: Previewed, gate: Gate, at: number): ReadonlyArray<RunWindow.RunWindowIssue> => {
  const jitter = schedule.terms.jitterSeconds * 1_000
  if (jitter === 0) return []
  const path = "jitter_seconds"
  const instants = RunSchedule.instantsOf(schedule, gate)
  const zone = Timing.zoneOf(schedule.terms.timing, gate.runWindow)
  const window = gate.runWindow === null ? null : RunWindow.compile(gate.runWindow)
  const warned = new Map<string, string>()
  let one = instants.next(at)
  for (let asked = 0; one !== null && asked < mostAsked; asked++) {
    const following = instants.next(one)
    if (following !== null && following - one < jitter && !warned.has("order")) {
      const pair = `${LocalTimes.shown(zone, one)} and ${LocalTimes.shown(zone, following)}`
      warned.set("order", `It is longer than the time between firings, such as ${pair}: a later one may come first`)
    }
    const opening = window === null ? null : RunWindow.opening(window, one)
    if (opening !== null && opening.opensAt <= one && opening.closesAt !== null && opening.closesAt < one + jitter) {
      const closing = LocalTimes.shown(zone, opening.closesAt)
      warned.set(
        "closing",
        `It can delay a firing beyond the closing of the run window, as at ${closing}: the run then waits for the next opening`
      )
      break
    }
    one = following
  }
  return [...warned.values()].map((message) => ({ path, message }))
}

/** What the run window does to the firings. */
const windowWarnings = (schedule: Previewed, gate: Gate, at: number): ReadonlyArray<RunWindow.RunWindowIssue> => {
  const { runWindow } = gate
  const { timing } = schedule.terms
  if (timing.kind === "window_opening") {
    if (runWindow === null) {
      return [{ path: "at", message: "The workflow has no run window: the schedule does not fire until it has one" }]
    }
    return RunSchedule.instantsOf(schedule, gate).next(at) === null
      ? [{ path: "at", message: "The run window does not open within the next 400 days: the schedule does not fire" }]
      : expiryWarning(schedule, gate, at)
  }
  const expired = expiryWarning(schedule, gate, at)
  if (runWindow === null || expired.length > 0) return expired
  if (startsWithin(schedule, gate, RunWindow.compile(runWindow), at)) return []
  return [
    {
      path: timing.kind,
      message:
        "No firing of the next 400 days falls into the run window of the workflow: each run waits until the window opens"
    }
  ]
}

/** How many firings are looked at for what only some of them have. */
const mostAsked = 100

/** The warning of runs that end without a start, as the window opens after their deadline. */
const expiryWarning = (schedule: Previewed, gate: Gate, at: number): ReadonlyArray<RunWindow.RunWindowIssue> => {
  const { startWithinMinutes } = schedule.terms
  if (startWithinMinutes === undefined) return []
  const coming = next(schedule, gate, at, mostAsked)
  const expiring = coming.filter(({ expiresAt }) => expiresAt !== null)
  const [first] = expiring
  if (first === undefined) return []
  const which = expiring.length === coming.length ? "Each" : `${expiring.length}`
  const ends = expiring.length === 1 || expiring.length === coming.length ? "ends" : "end"
  return [
    {
      path: "start_within_minutes",
      message: `${which} of the next ${coming.length} runs ${ends} without a start, as the run window opens later than ${startWithinMinutes} minutes after the firing: the first is that of ${first.local}`
    }
  ]
}

/** How many firings are compared with the window at most. */
const mostCompared = 10_000

const startsWithin = (schedule: Previewed, gate: Gate, window: RunWindow.Schedule, at: number): boolean => {
  const instants = RunSchedule.instantsOf(schedule, gate)
  const jitter = schedule.terms.jitterSeconds * 1_000
  let after = at
  for (let compared = 0; compared < mostCompared; compared++) {
    const instant = instants.next(after)
    if (instant === null || instant > at + RunWindow.horizonMillis) return false
    const firesAt = RunSchedule.firesAt(schedule, instant)
    if (RunWindow.isOpen(window, firesAt)) return true
    const opening = RunWindow.opening(window, firesAt)
    if (opening === null) return false
    after = Math.max(instant, opening.opensAt - jitter - 1)
  }
  return true
}
