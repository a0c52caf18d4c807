/** The runs in memory that are due for an end or a retry. */
import { Clock, Effect } from "effect"
import * as Run from "../../../core/run/Run.ts"
import type { RunStore } from "../../../core/run/RunStore.ts"
import { gateOf, lockedOf, type Tables, write } from "../Tables.ts"

/** The operations of the store on due runs. */
export const make = (tables: Tables["Service"]): Pick<RunStore["Service"], "reap" | "nextDue"> => {
  const isRemoved = (run: Run.Run) => gateOf(tables, run).removedAt !== null

  return {
    reap: Effect.fn("RunStore.reap")(function* (limit, decide) {
      const now = yield* Clock.currentTimeMillis
      const due = [...tables.runs.values()].filter(
        (run) =>
          (run.lease !== null && run.lease.until <= now) ||
          (Run.isWaiting(run) &&
            (isRemoved(run) || Run.isTooLate(run, now) || (run.expiresAt !== null && run.expiresAt <= now)))
      )
      return due.slice(0, limit).flatMap((run) => {
        const change = decide(lockedOf(tables, run), now)
        if (change !== null) write(tables, change, now)
        return change?.run ?? []
      })
    }),
    nextDue: Effect.fn("RunStore.nextDue")((after) =>
      Effect.sync(() => {
        const dues = [...tables.runs.values()].flatMap((run) => {
          if (run.lease !== null) return [run.lease.until]
          if (!Run.isWaiting(run)) return []
          return [
            ...(isRemoved(run) ? [gateOf(tables, run).removedAt ?? 0] : []),
            ...(run.expiresAt === null ? [] : [run.expiresAt]),
            ...(run.startBy === null || run.startedAt !== null ? [] : [run.startBy]),
            ...(run.notBefore > after ? [run.notBefore] : [])
          ]
        })
        return dues.length === 0 ? null : Math.min(...dues)
      })
    )
  }
}
