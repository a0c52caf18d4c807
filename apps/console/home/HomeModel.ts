/** The contents of Home, from the answers of the service. */

import * as ZoneAge from "../../../core/window/calendar/ZoneAge.ts"
import type * as Gates from "../../api/gate/GatesApi.ts"
import type { Installation, ProcessRecord } from "../../api/installation/InstallationApi.ts"
import { type Count, counted } from "../data/Counts.ts"
import { endings } from "../data/Unpausing.ts"

type RunWindowResponse = typeof Gates.RunWindowResponse.Type
export type Process = typeof ProcessRecord.Type

/** A problem of the installation, and its remedy. */
export interface Alarm {
  readonly text: string
  readonly remedy: string
}

/** A clock that differs from the database's clock by more than this is an alarm, in milliseconds. */
const skewWarnsAbove = 1_000
/** A process whose clock differs by more than this starts no run, in milliseconds. */
const skewStopsAbove = 5_000

/** Where the capacity of a process is not told, its part says whether it executes runs. */
const isWorker = ({ capacity, part }: Process): boolean =>
  capacity === undefined ? part === "up" || part === "worker" : capacity !== null && capacity > 0

/** The alarms of an installation. Unknown processes (`null`) cause none. */
export const alarmsOf = (processes: ReadonlyArray<Process> | null, now: number): ReadonlyArray<Alarm> => {
  if (processes === null) return []
  const zones = [...new Set(processes.flatMap(({ tz_data }) => tz_data ?? []))].toSorted()
  const old = ZoneAge.warning(zones.at(-1) ?? null, now)
  const skewed = processes.filter(({ clock_skew_ms = 0 }) => Math.abs(clock_skew_ms) > skewWarnsAbove)
  return [
    ...(processes.some(isWorker)
      ? []
      : [{ text: "No worker is running: runs wait", remedy: "Start sluice worker, or sluice up" }]),
    ...skewed.map(({ clock_skew_ms: skew = 0, part }) => ({
      text: `The clock of a process (${part}) is ${(Math.abs(skew) / 1_000).toFixed(1)} s ${skew > 0 ? "ahead of" : "behind"} that of the database${Math.abs(skew) > skewStopsAbove ? ": it starts no run" : ""}`,
      remedy: "Set the clock of its machine by NTP"
    })),
    ...(zones.length > 1
      ? [
          {
            text: `Processes have different time zone data (${zones.join(", ")}): the scheduler with the newest decides when windows open`,
            remedy: "Run every process on the same version of Node, and with the same SLUICE_TZDATA"
          }
        ]
      : []),
    ...(old === null ? [] : [{ text: old, remedy: ZoneAge.remedyBy("SLUICE_TZDATA") }])
  ]
}

/** The alarm about workflows whose openings new time zone data moved: the first names, and the number of the others. */
export const movedAlarms = (
  moved: ReadonlyArray<(typeof Installation.Type)["moved_workflows"][number]>
): ReadonlyArray<Alarm> => {
  const named = moved.slice(0, 3).map(({ name }) => `“${name}”`)
  const rest = moved.length > named.length ? ` and ${moved.length - named.length} more` : ""
  return moved.length === 0
    ? []
    : [
        {
          text: `New time zone data moved the next opening or closing of ${named.join(", ")}${rest}`,
          remedy: "Check their run windows, and change those that should open at other times"
        }
      ]
}

/** The places of the workers of an installation, and those in use; `null` when unknown, or not told. */
export const workersOf = (processes: ReadonlyArray<Process> | null) =>
  processes === null || processes.some(({ capacity }) => capacity === undefined)
    ? null
    : {
        workers: processes.filter(isWorker).length,
        capacity: sum(processes.map(({ capacity }) => capacity ?? 0)),
        running: sum(processes.map(({ running = 0 }) => running)),
        browsers: sum(processes.map(({ browsers = 0 }) => browsers))
      }

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((one, other) => one + other, 0)

/** The window of a workflow, with the workflow's name. */
export interface Opening {
  readonly id: string
  readonly name: string
  readonly gate: RunWindowResponse
}

/** The next to open first, then the open windows, then those that do not open automatically. */
export const byOpening = (openings: ReadonlyArray<Opening>): ReadonlyArray<Opening> =>
  openings
    .filter(({ gate }) => gate.run_window !== null || gate.manual_pause !== null)
    .toSorted((one, other) => rankOf(one) - rankOf(other))

const rankOf = ({ gate: { manual_pause, state } }: Pick<Opening, "gate">): number => {
  const next = state === null || state.open ? null : state.nextOpenAt
  const ends = [next, manual_pause?.until].filter((instant) => instant != null).map(Date.parse)
  return ends.length === 0 || manual_pause?.until === null ? Number.MAX_VALUE : Math.max(...ends)
}

/** A workflow with held runs. Its gate is `null` while it is not known. */
export interface HeldWorkflow {
  readonly id: string
  readonly name: string
  readonly count: number
  readonly gate: RunWindowResponse | null
}

/** The workflows whose held runs start first in front, then those with the most held runs. */
export const heldByOpening = (held: ReadonlyArray<HeldWorkflow>): ReadonlyArray<HeldWorkflow> => {
  const rank = ({ gate }: HeldWorkflow) => (gate === null ? Number.MAX_VALUE : rankOf({ gate }))
  return held.toSorted((one, other) => rank(one) - rank(other) || other.count - one.count)
}

/** What is left out of a list of held workflows, in words; `null` where nothing is. */
export const leftOutWords = (left: ReadonlyArray<HeldWorkflow>): string | null =>
  left.length === 0
    ? null
    : `and ${left.length} more ${left.length === 1 ? "workflow" : "workflows"} with ${counted({ count: sum(left.map(({ count }) => count)), exact: true })} held ${left.length === 1 && left[0]?.count === 1 ? "run" : "runs"}`

/** The state of a window in words. */
export const openingWords = (
  { lift, manual_pause, run_window, state }: RunWindowResponse,
  words: (instant: string) => string
): string => {
  if (manual_pause !== null) return manual_pause.until === null ? "paused" : `paused until ${words(manual_pause.until)}`
  if (run_window === null) return "always open"
  // While a window is lifted, its state is open.
  if (lift !== null) return "closed, but lifted"
  if (state?.open === true) return "open now"
  return state?.nextOpenAt == null ? "does not open within 400 days" : `opens ${words(state.nextOpenAt)}`
}

/** Why the runs of a workflow wait, in words; `null` when nothing holds them. */
export const reasonOf = (
  gate: RunWindowResponse,
  words: (instant: string) => string,
  who: (user: string) => string
): string | null => {
  const reasons = endings(gate).map((resource) =>
    resource === "workflow" ? pauseReason(gate, words, who) : windowReason(gate, words)
  )
  return reasons.length === 0 ? null : reasons.join(". ")
}

const pauseReason = (
  { manual_pause }: RunWindowResponse,
  words: (instant: string) => string,
  who: (user: string) => string
): string => {
  if (manual_pause === null) return ""
  const { by, reason, until } = manual_pause
  return `Paused by ${who(by)}${reason === "" ? "" : `: ${reason}`}${until === null ? "" : `, until ${words(until)}`}`
}

const windowReason = ({ state }: RunWindowResponse, words: (instant: string) => string): string =>
  state?.nextOpenAt == null
    ? "Its run window does not open within 400 days"
    : `Its run window opens ${words(state.nextOpenAt)}`

/** What runs wait for, by the kind of their hold. */
const waitWords: Readonly<Record<string, string>> = {
  run_window: "for a run window to open",
  manual: "until a pause ends",
  both: "for a run window to open and a pause to end",
  credential: "for a credential that is in use",
  browser: "for a free browser",
  capacity: "for a free place"
}

/** The reasons that hold runs, the most frequent first. */
export const byCount = (holds: Readonly<Record<string, Count>>): ReadonlyArray<readonly [hold: string, count: Count]> =>
  Object.entries(holds)
    .filter(([, { count }]) => count > 0)
    .toSorted(([, one], [, other]) => other.count - one.count)

/**
 * The reasons that hold runs, where each run counts once: those that a run window and a pause both hold are apart. `held`
 * is how many runs windows and pauses hold. Without exact counts these runs stay with each of their reasons.
 */
const countedOnce = (
  { manual, run_window, ...others }: Readonly<Record<string, Count>>,
  held: Count | undefined
): Readonly<Record<string, Count>> => {
  if (manual === undefined || run_window === undefined)
    return { ...others, ...(manual && { manual }), ...(run_window && { run_window }) }
  const both = manual.count + run_window.count - (held?.count ?? 0)
  const isExact = held?.exact === true && manual.exact && run_window.exact
  if (!isExact || both <= 0) return { ...others, manual, run_window }
  const exactly = (count: number) => ({ count, exact: true })
  return {
    ...others,
    manual: exactly(manual.count - both),
    run_window: exactly(run_window.count - both),
    both: exactly(both)
  }
}

/**
 * Why runs wait, in one sentence, the most frequent reason first; `null` when no run is held. With `held`, the number of
 * runs that windows and pauses hold, the counts add up where they are exact.
 */
export const waitSentence = (holds: Readonly<Record<string, Count>>, held?: Count): string | null => {
  const parts = byCount(countedOnce(holds, held))
    .map(([hold, count]) => ({ count, words: waitWords[hold] ?? hold }))
    .map(({ count, words }, index) =>
      index === 0
        ? `${counted(count)} ${count.count === 1 ? "run waits" : "runs wait"} ${words}`
        : `${counted(count)} ${words}`
    )
  return parts.length === 0 ? null : parts.join(", ")
}

/** Why a run failed, in a line. */
export const failureWords = (error: { readonly error_code: string | null; readonly message: string } | null): string =>
  [error?.error_code, error?.message].filter((one) => one != null && one !== "").join(": ")
