/** Decisions of models in memory. */
import { Effect, Layer } from "effect"
import { DecisionStore, mostDecisions } from "../../core/run/DecisionStore.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.effect(
  DecisionStore,
  Effect.map(Tables, ({ decisions }) =>
    DecisionStore.of({
      keep: (runId, decision) =>
        Effect.sync(() => {
          const before = decisions.get(runId) ?? []
          if (before.length < mostDecisions) decisions.set(runId, [...before, decision])
        }),
      of: (runId) => Effect.sync(() => decisions.get(runId) ?? [])
    })
  )
)
