/** Removing parts of runs in memory. */
import { Effect, Layer } from "effect"
import type { Run } from "../../../../core/run/Run.ts"
import { type Part, RetentionStore } from "../../../../core/run/retention/RetentionStore.ts"
import type { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { atomicStore } from "../../Atomic.ts"
import { forgetEvents, type Shape, Tables, unreadRuns } from "../../Tables.ts"

export const layer = Layer.effect(
  RetentionStore,
  Effect.map(Tables, (tables) => {
    /** Ended runs after the removal position of a part, in the order of their ends. */
    const behind = (workspaceId: WorkspaceId, part: string, before: number) => {
      const place = tables.retentionPlaces.get(keyOf(workspaceId, part))
      return [...tables.runs.values()]
        .filter((run) => run.workspaceId === workspaceId && run.endedAt !== null && run.endedAt < before)
        .filter((run) => place === undefined || compare(placeOf(run), place) > 0)
        .sort((one, other) => compare(placeOf(one), placeOf(other)))
        .map(({ id }) => id)
    }

    return RetentionStore.of({
      expired: Effect.fn("RetentionStore.expired")((workspaceId, part, before, limit) =>
        Effect.sync(() => {
          const ids = behind(workspaceId, part, before).slice(0, limit)
          const unread = part === "events" ? unreadRuns(tables) : new Set()
          const first = ids.findIndex((id) => unread.has(id))
          return first === -1 ? ids : ids.slice(0, first)
        })
      ),
      unread: Effect.fn("RetentionStore.unread")((workspaceId, before, limit) =>
        Effect.sync(() => {
          const unread = unreadRuns(tables)
          const { length } = behind(workspaceId, "events", before).filter((id) => unread.has(id))
          return Math.min(length, limit)
        })
      ),
      remove: Effect.fn("RetentionStore.remove")((part, ids) => Effect.sync(() => removed(tables, part, new Set(ids)))),
      passed: Effect.fn("RetentionStore.passed")((workspaceId, part, last) =>
        Effect.sync(() => {
          const run = tables.runs.get(last)
          if (run === undefined) return
          const [key, place] = [keyOf(workspaceId, part), placeOf(run)]
          const before = tables.retentionPlaces.get(key)
          if (before === undefined || compare(before, place) < 0) tables.retentionPlaces.set(key, place)
        })
      ),
      count: Effect.fn("RetentionStore.count")((workspaceId, kind, before, older) =>
        Effect.sync(() => {
          const unread = kind === "runs" || kind === "events" ? unreadRuns(tables) : new Set()
          const ids = new Set<string>(behind(workspaceId, kind, before).filter((id) => !unread.has(id)))
          if (kind === "runs") return ids.size
          const mine = (runId: string) => tables.runs.get(runId)?.workspaceId === workspaceId
          return rowsOf(tables, kind).filter(
            ({ at, runId }) => ids.has(runId) || (older !== null && mine(runId) && at < older)
          ).length
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)

const keyOf = (workspaceId: WorkspaceId, part: string) => `${workspaceId} ${part}`

/** Returns whether a part of a run was removed by retention. */
export const isPassed = ({ retentionPlaces }: Shape, part: Part, run: Run): boolean => {
  const place = retentionPlaces.get(keyOf(run.workspaceId, part))
  return place !== undefined && run.endedAt !== null && compare(placeOf(run), place) <= 0
}

interface Place {
  readonly endedAt: number
  readonly runId: string
}

const placeOf = ({ endedAt, id }: Run): Place => ({ endedAt: endedAt ?? 0, runId: id })

const compare = (one: Place, other: Place): number =>
  one.endedAt - other.endedAt || (one.runId < other.runId ? -1 : one.runId > other.runId ? 1 : 0)

const pendingIn = ({ deliveries }: Shape): ReadonlySet<string> =>
  new Set(
    [...deliveries.values()].flatMap(({ delivery }) => (delivery.status === "pending" ? [delivery.logged.runId] : []))
  )

/** The rows by which a part is counted. */
const rowsOf = (tables: Shape, part: Part): ReadonlyArray<{ readonly runId: string; readonly at: number }> => {
  switch (part) {
    case "events": {
      const pending = pendingIn(tables)
      return tables.events.filter(({ runId }) => !pending.has(runId))
    }
    case "deliveries":
      return [...tables.deliveries.values()].flatMap(({ delivery }) =>
        delivery.status === "pending" ? [] : [{ runId: delivery.logged.runId, at: delivery.logged.at }]
      )
    case "errors":
      return [...tables.runs.values()].flatMap(({ errors, id }) =>
        (tables.uncounted.has(id) ? [] : errors).map(({ at }) => ({ runId: id, at }))
      )
    case "decisions":
      return [...tables.decisions].flatMap(([runId, all]) => all.map(({ at }) => ({ runId, at })))
    case "artifacts":
      return [...tables.artifacts.values()]
    case "starts":
      return tables.starts
  }
}

/** Removes a part of ended runs, and returns the number of rows. */
const removed = (tables: Shape, part: Part, ids: ReadonlySet<string>): number => {
  const gone = rowsOf(tables, part).filter(({ runId }) => ids.has(runId))
  switch (part) {
    case "events": {
      const pending = pendingIn(tables)
      forgetEvents(tables, (runId) => ids.has(runId) && !pending.has(runId))
      return gone.length
    }
    case "deliveries":
      for (const [key, { delivery }] of tables.deliveries) {
        if (ids.has(delivery.logged.runId) && delivery.status !== "pending") tables.deliveries.delete(key)
      }
      return gone.length
    case "errors":
      for (const { runId } of gone) tables.uncounted.add(runId)
      return gone.length
    case "decisions":
      for (const id of ids) tables.decisions.delete(id)
      return gone.length
    case "starts": {
      const kept = tables.starts.filter(({ runId }) => !ids.has(runId))
      tables.starts.splice(0, tables.starts.length, ...kept)
      return gone.length
    }
    case "artifacts":
      return evidenceRemoved(tables, ids)
  }
}

const evidenceRemoved = ({ networkLogs, snapshots }: Shape, ids: ReadonlySet<string>): number => {
  let count = 0
  for (const [key, { runId }] of snapshots) {
    if (!ids.has(runId)) continue
    snapshots.delete(key)
    count++
  }
  for (const [runId, log] of networkLogs) {
    if (!ids.has(runId) || log.events.length === 0) continue
    count += log.events.length
    networkLogs.set(runId, { ...log, truncated: true, events: [] })
  }
  return count
}
