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
  /** The deadlines of those that were counted and have one, in the order of their places. */
  readonly deadlines: ReadonlyArray<Deadline>
}

/** The run at a place of the queue, from 1, ends without a start if it has not started by then. */
export interface Deadline {
  readonly place: number
  readonly at: number
}

/** What delays a start: a limit of the pace, or the number of workers. */
export type Limit = "max_starts_per_minute" | "max_running" | "workers"

/** A start, and what delays it; `null` where only the run window does, or nothing. */
export interface Start {
  readonly at: number
  readonly limitedBy: Limit | null
}

/** When the waiting runs start. */
export interface Forecast {
  readonly waiting: number
  readonly atLeast: boolean
  /** How many of them end at their deadline without a start. They count in no other field. */
  readonly expiring: number
  /** The first such deadline; `null` where there is none. */
  readonly firstExpiresAt: number | null
  /** `null` where it is not in sight. */
  readonly firstStartAt: number | null
  readonly lastStartAt: number | null
  /** When the current or next opening ends; `null` where it has no end, or there is no opening. */
  readonly closesAt: number | null
  /** How many of them start after `closesAt`. */
  readonly unfit: number
  /** What delays the last start. */
  readonly limitedBy: Limit | null
  /** The number of workers that the estimate assumes; `null` when it is unknown. */
  readonly workers: Workers | null
  /** The mean duration that it counts on; `null` before a run has succeeded: no limit on running runs counts then. */
  readonly durationMillis: number | null
}

/** The maximum number of openings that are examined for one run. */
const mostPassages = 60

/** The starts within one opening: when its nth run starts (n from 1), and how many start before its end. */
interface Passage {
  readonly stopsAt: number
  readonly startOf: (number: number) => Start
  readonly fits: number
  /** The limit that prevents further starts. */
  readonly limit: Limit | null
}

/** How many runs of a workflow are executed at once within an opening. */
interface Room {
  /** The maximum at one time. */
  readonly most: number
  /** How many of them may start at its beginning. */
  readonly free: number
  readonly limit: "max_running" | "workers"
}

/** Runs that are in progress now are assumed to have ended by a later opening. */
const roomOf = (gate: Gate.Gate, queue: Queue, workers: Workers | null, isCurrent: boolean): Room => {
  const maxRunning = gate.pace?.maxRunning ?? Infinity
  const { capacity, running } = workers ?? { capacity: Infinity, running: 0 }
  const others = isCurrent ? Math.max(0, running - queue.running) : 0
  // Workflows take turns, so a workflow gets a worker even while others use all of them.
  const share = capacity === 0 ? 0 : Math.max(1, capacity - others)
  const own = isCurrent ? queue.running : 0
  return {
    most: Math.min(maxRunning, share),
    free: Math.max(0, Math.min(maxRunning - own, capacity - others - own)),
    limit: share < maxRunning ? "workers" : "max_running"
  }
}

/** The current opening from `from` on, or the next one; `null` when none is known. */
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

/** When the nth run that starts does so (n from 1); `null` when that is unknown. */
const startAlone = (
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

/** The deadlines that pass before the run could start, in the order of their places. */
const expiring = (gate: Gate.Gate, queue: Queue, workers: Workers | null, at: number): ReadonlyArray<Deadline> => {
  const gone: Array<Deadline> = []
  for (const deadline of queue.deadlines) {
    const start = startAlone(gate, queue, workers, deadline.place - gone.length, at)
    if (start === null || start.at >= deadline.at) gone.push(deadline)
  }
  return gone
}

/** When the run at a place of the queue starts (from 1), after those before it that do; `null` when that is unknown. */
export const startOf = (
  gate: Gate.Gate,
  queue: Queue,
  workers: Workers | null,
  place: number,
  at: number
): Start | null => {
  const ahead = { ...queue, deadlines: queue.deadlines.filter((deadline) => deadline.place < place) }
  return startAlone(gate, queue, workers, place - expiring(gate, ahead, workers, at).length, at)
}

/** When the waiting runs start, and how many of them start after the end of the current or next opening. */
export const of = (gate: Gate.Gate, queue: Queue, workers: Workers | null, at: number): Forecast => {
  const { atLeast, durationMillis, waiting } = queue
  const one = passage(gate, queue, workers, at, at)
  const gone = expiring(gate, queue, workers, at)
  const starting = waiting - gone.length
  const start = (number: number) => (starting === 0 ? null : startAlone(gate, queue, workers, number, at))
  const last = start(starting)
  return {
    waiting,
    atLeast,
    expiring: gone.length,
    firstExpiresAt: gone.length === 0 ? null : gone.reduce((least, deadline) => Math.min(least, deadline.at), Infinity),
    firstStartAt: start(1)?.at ?? null,
    lastStartAt: last?.at ?? null,
    closesAt: one === null || one.stopsAt === Infinity ? null : one.stopsAt,
    unfit: one === null ? starting : Math.max(0, starting - one.fits),
    limitedBy: last === null ? (one !== null && starting > one.fits ? one.limit : null) : last.limitedBy,
    workers,
    durationMillis
  }
}
