/** Decisions of models in memory. */
import { Effect, Layer } from "effect"
import { DecisionStore, mostDecisions } from "../../../core/run/evidence/DecisionStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  DecisionStore,
  Effect.map(Tables, ({ decisions, gates, runs }) =>
    DecisionStore.of({
      keep: (runId, decision) =>
        Effect.sync(() => {
          const before = decisions.get(runId) ?? []
          if (before.length < mostDecisions) decisions.set(runId, [...before, decision])
        }),
      expire: (before, limit) =>
        Effect.sync(() => {
          let left = limit
          for (const [runId, all] of decisions) {
            const workflowId = runs.get(runId)?.workflowId
            const isDeleted = workflowId !== undefined && (gates.get(workflowId)?.removedAt ?? null) !== null
            const gone = all.filter((one) => isDeleted || one.at < before).slice(0, left)
            left -= gone.length
            decisions.set(
              runId,
              all.filter((one) => !gone.includes(one))
            )
          }
          return limit - left
        }),
      of: (runId) => Effect.sync(() => decisions.get(runId) ?? [])
    })
  ).pipe(Effect.map(atomicStore))
)
