/** Removing runs in memory. */
import { Effect, Layer } from "effect"
import * as Run from "../../../../core/run/Run.ts"
import { RunRemovalStore } from "../../../../core/run/retention/RunRemovalStore.ts"
import type { RunId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { atomicStore } from "../../Atomic.ts"
import { Tables } from "../../Tables.ts"

export const layer = Layer.effect(
  RunRemovalStore,
  Effect.map(Tables, (tables) => {
    const endedBefore = (before: number) =>
      [...tables.runs.values()].filter((run) => run.endedAt !== null && run.endedAt < before)

    const removeOne = (id: RunId) => {
      tables.runs.delete(id)
      // The others keep their places in the log.
      tables.events.forEach((one, index) => {
        if (one.runId !== id) return
        tables.events[index] = {
          sequence: one.sequence,
          runId: one.runId,
          at: 0,
          event: { event: "execution.queued", runId: id, workflowId: one.event.workflowId }
        }
      })
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
      const kept = tables.starts.filter(({ runId }) => runId !== id)
      tables.starts.splice(0, tables.starts.length, ...kept)
      for (const [key, { runId }] of tables.snapshots) if (runId === id) tables.snapshots.delete(key)
      for (const [key, { runId }] of tables.artifacts) if (runId === id) tables.artifacts.delete(key)
      for (const [key, { runId }] of tables.admissions) if (runId === id) tables.admissions.delete(key)
      for (const [key, { delivery }] of tables.deliveries) {
        if (delivery.logged.runId === id) tables.deliveries.delete(key)
      }
    }

    return RunRemovalStore.of({
      ended: Effect.fn("RunRemovalStore.ended")((before, limit, only) =>
        Effect.sync(() =>
          endedBefore(before)
            .filter(({ workspaceId }) => only === null || workspaceId === only)
            .slice(0, limit)
            .map(({ id }) => id)
        )
      ),
      countEnded: Effect.fn("RunRemovalStore.countEnded")((before) =>
        Effect.sync(() => {
          const counts = new Map<WorkspaceId, number>()
          for (const { workspaceId } of endedBefore(before)) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
          return counts
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
