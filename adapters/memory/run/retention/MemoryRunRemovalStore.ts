/** Removing runs in memory. */
import { Effect, Layer } from "effect"
import * as Run from "../../../../core/run/Run.ts"
import { RunRemovalStore } from "../../../../core/run/retention/RunRemovalStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import { atomicStore } from "../../Atomic.ts"
import { forgetEvents, Tables, unreadRuns } from "../../Tables.ts"

export const layer = Layer.effect(
  RunRemovalStore,
  Effect.map(Tables, (tables) => {
    const endedBefore = (before: number) =>
      [...tables.runs.values()].filter((run) => run.endedAt !== null && run.endedAt < before)

    const removeOne = (id: RunId) => {
      tables.runs.delete(id)
      forgetEvents(tables, (runId) => runId === id)
      const byRun = [
        tables.interactions,
        tables.networkLogs,
        tables.artifactTotals,
        tables.decisions,
        tables.controls,
        tables.written,
        tables.failedLogins
      ]
      for (const table of byRun) table.delete(id)
      tables.watched.delete(id)
      tables.uncounted.delete(id)
      const kept = tables.starts.filter(({ runId }) => runId !== id)
      tables.starts.splice(0, tables.starts.length, ...kept)
      for (const [key, { runId }] of tables.snapshots) if (runId === id) tables.snapshots.delete(key)
      for (const [key, { runId }] of tables.artifacts) if (runId === id) tables.artifacts.delete(key)
      for (const [key, { runId }] of tables.admissions) if (runId === id) tables.admissions.delete(key)
      for (const [key, { delivery }] of tables.deliveries) {
        if (delivery.logged.runId === id) tables.deliveries.delete(key)
      }
      for (const [key, { delivery }] of tables.fileDeliveries) {
        if (delivery.runId === id) tables.fileDeliveries.delete(key)
      }
    }

    return RunRemovalStore.of({
      ended: Effect.fn("RunRemovalStore.ended")((workspaceId, before, limit) =>
        Effect.sync(() => {
          const unread = unreadRuns(tables)
          return endedBefore(before)
            .filter((run) => run.workspaceId === workspaceId && !unread.has(run.id))
            .slice(0, limit)
            .map(({ id }) => id)
        })
      ),
      artifactsOf: Effect.fn("RunRemovalStore.artifactsOf")((ids) =>
        Effect.sync(() => [...tables.artifacts.values()].filter(({ runId }) => ids.includes(runId)).map(({ id }) => id))
      ),
      remove: Effect.fn("RunRemovalStore.remove")((ids) =>
        Effect.sync(() => {
          const gone = ids.filter((id) => {
            const run = tables.runs.get(id)
            return run !== undefined && Run.isEnded(run)
          })
          for (const id of gone) removeOne(id)
          return gone.length
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)
