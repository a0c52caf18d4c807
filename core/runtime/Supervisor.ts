/**
 * The state of the loops of this process: which of them fail because of internal errors, and when each outage was last
 * logged.
 *
 * A loop that dies by a defect is started again after a pause, because the others depend on it. The defect itself is
 * logged once, and after several in a row the process counts as unhealthy.
 */
import { Clock, Context, Effect } from "effect"

/** Number of consecutive rounds of one loop that die before the process counts as unhealthy. */
export const unhealthyAfter = 5

/** Minimum time between two log lines about outages, in milliseconds. Many loops and requests notice the same outage. */
const outageLineMillis = 10_000

interface Failing {
  /** The number of consecutive rounds that died. */
  readonly count: number
  /** The last logged defect, so that the same defect is logged once. */
  readonly logged: string
}

export interface Supervisor {
  /** A round of a loop succeeded. */
  readonly succeeded: (loop: string) => Effect.Effect<void>
  /** A round of a loop died. It is logged unless the round before died in the same way. */
  readonly died: (loop: string, defect: unknown) => Effect.Effect<void>
  /**
   * Something could not be reached: the database, unless `what` names another. At most one line every ten seconds is logged
   * for each.
   */
  readonly unavailable: (line: string, what?: string) => Effect.Effect<void>
  /** The loops for which the process counts as unhealthy. */
  readonly unhealthy: Effect.Effect<ReadonlyArray<string>>
}

export const make = (): Supervisor => {
  const failing = new Map<string, Failing>()
  /** When the last line was logged about each thing that was away, for as long as that keeps the next line back. */
  const loggedAt = new Map<string, number>()
  return {
    succeeded: (loop) => Effect.sync(() => void failing.delete(loop)),
    died: (loop, defect) =>
      Effect.suspend(() => {
        const before = failing.get(loop)
        const described = defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
        failing.set(loop, { count: (before?.count ?? 0) + 1, logged: described })
        if (before?.logged === described) return Effect.void
        return Effect.logError(`Could not ${loop} because of an internal error; the loop is started again`, defect)
      }),
    unavailable: (line, what = "database") =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        for (const [one, at] of loggedAt) if (now >= at + outageLineMillis) loggedAt.delete(one)
        if (loggedAt.has(what)) return Effect.void
        loggedAt.set(what, now)
        return Effect.logWarning(line)
      }),
    unhealthy: Effect.sync(() => [...failing].filter(([, { count }]) => count >= unhealthyAfter).map(([loop]) => loop))
  }
}

/** The supervisor of the process. */
export const Supervisor = Context.Reference<Supervisor>("sluice/core/runtime/Supervisor", { defaultValue: make })

/** Logs that something failed because the database, or `what`, is away, unless that was logged shortly before. */
export const outage = (line: string, what?: string): Effect.Effect<void> =>
  Effect.flatMap(Supervisor, ({ unavailable }) => unavailable(line, what))
