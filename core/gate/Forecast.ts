/**
 * When the waiting runs of a workflow start: an estimate from its pace, its run window, the capacity of the workers and how
 * long its runs took.
 *
 * It assumes that credentials are free, that no further run is submitted, that other workflows use as many workers as now
 * until the window closes and none later, and that runs take as long as those that succeeded last. Where the capacity of
 * the workers is not known, free workers are assumed. Everything here is a function of its arguments; instants are epoch
 * milliseconds.
 */
import * as Gate from "./Gate.ts"
import * as Pace from "./Pace.ts"
import type { Workers } from "./WorkerCapacity.ts"

/** The highest number that waiting runs are counted to. */
export const mostCounted = 10_000

/** The runs of a workflow that wait and that are in progress. */
export interface Queue extends Pace.Progress {
  /** How many wait, counted up to `mostCounted`. */
  readonly waiting: number
  /** Whether more wait than were counted. */
  readonly atLeast: boolean
  /** How many of them start before the run that was asked about, counted likewise; 0 where none was. */
  readonly ahead: number
  /** The mean duration of the latest runs that succeeded; `null` before the first one. */
  readonly durationMillis: number | null
}

/** What puts a start off: a limit of the pace, or the number of workers. */
export type Limit = "max_starts_per_minute" | "max_running" | "workers"

/** A start, and what puts it off; `null` where only the run window does, or nothing. */
export interface Start {
  readonly at: number
  readonly limitedBy: Limit | null
}

/** When the waiting runs start. */
export interface Forecast {
  readonly waiting: number
  readonly atLeast: boolean
  /** `null` where it is not in sight. */
  readonly firstStartAt: number | null
  readonly lastStartAt: number | null
  /** When the current passage ends, or the next one; `null` where it has no end, or there is none. */
  readonly closesAt: number | null
  /** How many of them start only behind `closesAt`. */
  readonly unfit: number
  /** What puts off the last start. */
  readonly limitedBy: Limit | null
  /** The workers that it counts on; `null` where they are not known. */
  readonly workers: Workers | null
  /** The mean duration that it counts on; `null` before a run has succeeded: no limit on running runs counts then. */
  readonly durationMillis: number | null
}

/** How many passages are looked at for one run. */
const mostPassages = 60

/** The starts within one passage: when its run of a number, from 1 on, starts, and how many start before its end. */
interface Passage {
  readonly stopsAt: number
  readonly startOf: (number: number) => Start
  readonly fits: number
  /** What lets no more than these start. */
  readonly limit: Limit | null
}

/** How many runs of a workflow are carried out at once within a passage. */
interface Room {
  /** The most at once. */
  readonly most: number
  /** How many of them may start at its beginning. */
  readonly free: number
  readonly limit: "max_running" | "workers"
}

/** Those in progress have ended by a later passage. */
const roomOf = (gate: Gate.Gate, queue: Queue, workers: Workers | null, isCurrent: boolean): Room => {
  const maxRunning = gate.pace?.maxRunning ?? Infinity
  const { capacity, running } = workers ?? { capacity: Infinity, running: 0 }
  const others = isCurrent ? Math.max(0, running - queue.running) : 0
  // A workflow gets its turn where others use every worker.
  const share = capacity === 0 ? 0 : Math.max(1, capacity - others)
  const own = isCurrent ? queue.running : 0
  return {
    most: Math.min(maxRunning, share),
    free: Math.max(0, Math.min(maxRunning - own, capacity - others - own)),
    limit: share < maxRunning ? "workers" : "max_running"
  }
}

/** The current passage from `from` on, or the next one; `null` where none is in sight. */
const passage = (gate: Gate.Gate, queue: Queue, workers: Workers | null, from: number, at: number): Passage | null => {
  const interval = Gate.startInterval(gate, from)
  if (interval === null) return null
  const { stopsAt } = interval
  const startsAt = Math.max(from, interval.startsAt)
  const most = gate.pace?.maxStartsPerMinute ?? null
  const part = most === null ? 0 : Pace.partMillis(most)
  const first = Pace.nextStartAt(gate.pace, queue.takenUntil, startsAt)
  const room = roomOf(gate, queue, workers, startsAt <= at)
  const turn = room.most === 0 ? Infinity : (queue.durationMillis ?? 0) / room.most
  const left = stopsAt - 1
  const byStarts = first > left ? 0 : part === 0 ? Infinity : Math.floor((left - first) / part) + 1
  const byRoom = turn === 0 ? Infinity : turn === Infinity ? 0 : room.free + Math.floor((left - startsAt) / turn)
  return {
    stopsAt,
    startOf: (number) => {
      const paced = first + (number - 1) * part
      const roomy = startsAt + (number <= room.free ? 0 : (number - room.free) * turn)
      const at = Math.ceil(Math.max(paced, roomy))
      return { at, limitedBy: at === startsAt ? null : roomy > paced ? room.limit : "max_starts_per_minute" }
    },
    fits: Math.min(byStarts, byRoom),
    limit: byRoom < byStarts ? room.limit : byStarts === Infinity ? null : "max_starts_per_minute"
  }
}

/** When the waiting run of a number, from 1 on, starts; `null` where it is not in sight. */
export const startOf = (
  gate: Gate.Gate,
  queue: Queue,
  workers: Workers | null,
  number: number,
  at: number
): Start | null => {
  let [left, from] = [number, at]
  let limitedBy: Limit | null = null
  for (let count = 0; count < mostPassages; count++) {
    const one = passage(gate, queue, workers, from, at)
    if (one === null) return null
    if (left <= one.fits) {
      const start = one.startOf(left)
      return { at: start.at, limitedBy: start.limitedBy ?? limitedBy }
    }
    if (one.stopsAt === Infinity) return null
    left -= one.fits
    from = one.stopsAt
    limitedBy = one.limit
  }
  return null
}

/** When the waiting runs start, and how many of them only behind the end of the current or next passage. */
export const of = (gate: Gate.Gate, queue: Queue, workers: Workers | null, at: number): Forecast => {
  const { atLeast, durationMillis, waiting } = queue
  const one = passage(gate, queue, workers, at, at)
  const start = (number: number) => (waiting === 0 ? null : startOf(gate, queue, workers, number, at))
  const last = start(waiting)
  return {
    waiting,
    atLeast,
    firstStartAt: start(1)?.at ?? null,
    lastStartAt: last?.at ?? null,
    closesAt: one === null || one.stopsAt === Infinity ? null : one.stopsAt,
    unfit: one === null ? waiting : Math.max(0, waiting - one.fits),
    limitedBy: last === null ? (one !== null && waiting > one.fits ? one.limit : null) : last.limitedBy,
    workers,
    durationMillis
  }
}
