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

/** A future firing. Local times are written with their offset. */
export interface FutureFiring {
  readonly instant: number
  readonly firesAt: number
  readonly local: string
  /** In the zone of the run window; `null` where there is none. */
  readonly windowLocal: string | null
  /** Whether the run may start at once, by the window alone. */
  readonly windowOpen: boolean
  /** When the run can start by the window alone; `null` when no opening is known. */
  readonly startsAt: number | null
}

/** The next firings after an instant, at most `count`. */
export const next = (schedule: Previewed, gate: Gate, after: number, count: number): ReadonlyArray<FutureFiring> => {
  const instants = RunSchedule.instantsOf(schedule, gate)
  const { runWindow } = gate
  const zone = Timing.zoneOf(schedule.terms.timing, runWindow)
  const found: Array<FutureFiring> = []
  for (let instant = instants.next(after); instant !== null && found.length < count; instant = instants.next(instant)) {
    const firesAt = RunSchedule.firesAt(schedule, instant)
    const opening = runWindow === null ? null : RunWindow.opening(RunWindow.compile(runWindow), firesAt)
    const startsAt = runWindow === null ? firesAt : opening === null ? null : Math.max(firesAt, opening.opensAt)
    found.push({
      instant,
      firesAt,
      local: LocalTimes.shown(zone, instant),
      windowLocal: runWindow === null ? null : LocalTimes.shown(Zone.get(runWindow.time_zone), instant),
      windowOpen: startsAt === firesAt,
      startsAt
    })
  }
  return found
}

/** Warnings about a valid schedule, as of `at`. */
export const warnings = (schedule: Previewed, gate: Gate, at: number): ReadonlyArray<RunWindow.RunWindowIssue> => {
  const { runWindow } = gate
  const { timing } = schedule.terms
  if (timing.kind === "window_opening") {
    if (runWindow === null) {
      return [{ path: "at", message: "The workflow has no run window: the schedule does not fire until it has one" }]
    }
    return RunSchedule.instantsOf(schedule, gate).next(at) === null
      ? [{ path: "at", message: "The run window does not open within the next 400 days: the schedule does not fire" }]
      : []
  }
  if (runWindow === null || startsWithin(schedule, gate, RunWindow.compile(runWindow), at)) return []
  return [
    {
      path: timing.kind,
      message:
        "No firing of the next 400 days falls into the run window of the workflow: each run waits until the window opens"
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
