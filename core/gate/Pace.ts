/**
 * How fast the runs of a workflow may start: so many starts a minute, and so many runs in progress.
 *
 * Starts are spread over the minute instead of being counted in it: each start takes a part of the minute, and the next one
 * comes behind that part. The parts that are taken are one instant, `takenUntil`, however many runs have started. A start
 * may come `toleranceMillis` early, so that a claim that comes late does not lower the rate; the parts are longer by as much,
 * so that no 60 seconds ever have more starts than allowed.
 *
 * Everything here is a function of its arguments; instants are epoch milliseconds.
 */

/** The limits of a workflow. At least one of them is set. */
export interface Pace {
  /** The highest number of starts, those of retries included, in any 60 seconds; `null`: any number. */
  readonly maxStartsPerMinute: number | null
  /** The highest number of runs in progress at once; `null`: any number. */
  readonly maxRunning: number | null
}

/** The highest values of both limits. */
export const mostStartsPerMinute = 10_000
export const mostRunning = 10_000

/** How much earlier than its part of the minute a start may come. */
export const toleranceMillis = 250

/** What has started by now. */
export interface Progress {
  /** Up to here the minute is taken by the starts so far; 0 before the first one. */
  readonly takenUntil: number
  /** How many runs are in progress. */
  readonly running: number
}

/** The part of a minute that one start takes. */
export const partMillis = (maxStartsPerMinute: number): number => (60_000 + toleranceMillis) / maxStartsPerMinute

/**
 * From where on the next starts take their parts. What lies further ahead than any start could have taken it comes from
 * another pace, or from a clock that was set back, and counts no more.
 */
const taken = (part: number, takenUntil: number, at: number): number =>
  Math.min(Math.max(takenUntil, at), at + Math.ceil(part) + toleranceMillis)

/** How many runs may start at `at`; `Infinity` where nothing limits them. */
export const allowance = (pace: Pace | null, { running, takenUntil }: Progress, at: number): number => {
  if (pace === null) return Infinity
  const { maxRunning, maxStartsPerMinute } = pace
  const free = maxRunning === null ? Infinity : Math.max(0, maxRunning - running)
  if (maxStartsPerMinute === null) return free
  const part = partMillis(maxStartsPerMinute)
  const ahead = at + toleranceMillis - taken(part, takenUntil, at)
  return Math.min(free, ahead < 0 ? 0 : Math.floor(ahead / part) + 1)
}

/** What is taken of the minute once so many runs have started at `at`. */
export const afterStarts = (pace: Pace | null, takenUntil: number, starts: number, at: number): number => {
  const most = pace?.maxStartsPerMinute ?? null
  if (most === null || starts === 0) return takenUntil
  const part = partMillis(most)
  return Math.ceil(taken(part, takenUntil, at) + starts * part)
}

/** The earliest instant, at or after `at`, at which the starts a minute allow another start. */
export const nextStartAt = (pace: Pace | null, takenUntil: number, at: number): number => {
  const most = pace?.maxStartsPerMinute ?? null
  return most === null ? at : Math.max(at, taken(partMillis(most), takenUntil, at) - toleranceMillis)
}

/** Whether the end of a run may let another one of its workflow start. */
export const limitsRunning = (pace: Pace | null): boolean => pace !== null && pace.maxRunning !== null

/** Whether two paces are the same. */
export const isSame = (one: Pace | null, other: Pace | null): boolean =>
  one?.maxStartsPerMinute === other?.maxStartsPerMinute && one?.maxRunning === other?.maxRunning
