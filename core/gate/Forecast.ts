/**
 * When the waiting runs of a paced workflow start: an estimate from its pace, its run window and how long its runs took.
 *
 * It assumes that workers and credentials are free, that no further run is submitted, and that runs take as long as
 * those that succeeded last. Everything here is a function of its arguments; instants are epoch milliseconds.
 */
import * as Gate from "./Gate.ts"
import * as Pace from "./Pace.ts"

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
}

/** How many passages are looked at for one run. */
const mostPassages = 60

/** The starts within one passage: when its run of a number, from 1 on, starts, and how many start before its end. */
interface Passage {
  readonly stopsAt: number
  readonly startOf: (number: number) => number
  readonly fits: number
}

/** The current passage from `from` on, or the next one; `null` where none is in sight. */
const passage = (gate: Gate.Gate, queue: Queue, from: number, at: number): Passage | null => {
  const interval = Gate.startInterval(gate, from)
  if (interval === null) return null
  const { stopsAt } = interval
  const startsAt = Math.max(from, interval.startsAt)
  const { maxRunning, maxStartsPerMinute } = gate.pace ?? { maxRunning: null, maxStartsPerMinute: null }
  const part = maxStartsPerMinute === null ? 0 : Pace.partMillis(maxStartsPerMinute)
  const first = Pace.nextStartAt(gate.pace, queue.takenUntil, startsAt)
  // Those in progress have ended by a later passage.
  const free = maxRunning === null ? Infinity : Math.max(0, maxRunning - (startsAt > at ? 0 : queue.running))
  const turn = maxRunning === null ? 0 : (queue.durationMillis ?? 0) / maxRunning
  const left = stopsAt - 1
  const byStarts = first > left ? 0 : part === 0 ? Infinity : Math.floor((left - first) / part) + 1
  const byRunning = turn === 0 ? Infinity : free + Math.floor((left - startsAt) / turn)
  return {
    stopsAt,
    startOf: (number) => Math.ceil(Math.max(first + (number - 1) * part, startsAt + Math.max(0, number - free) * turn)),
    fits: Math.min(byStarts, byRunning)
  }
}

/** When the waiting run of a number, from 1 on, starts; `null` where it is not in sight. */
export const startOf = (gate: Gate.Gate, queue: Queue, number: number, at: number): number | null => {
  let [left, from] = [number, at]
  for (let count = 0; count < mostPassages; count++) {
    const one = passage(gate, queue, from, at)
    if (one === null) return null
    if (left <= one.fits) return one.startOf(left)
    left -= one.fits
    from = one.stopsAt
  }
  return null
}

/** When the waiting runs start, and how many of them only behind the end of the current or next passage. */
export const of = (gate: Gate.Gate, queue: Queue, at: number): Forecast => {
  const { atLeast, waiting } = queue
  const one = passage(gate, queue, at, at)
  return {
    waiting,
    atLeast,
    firstStartAt: waiting === 0 ? null : startOf(gate, queue, 1, at),
    lastStartAt: waiting === 0 ? null : startOf(gate, queue, waiting, at),
    closesAt: one === null || one.stopsAt === Infinity ? null : one.stopsAt,
    unfit: one === null ? waiting : Math.max(0, waiting - one.fits)
  }
}
