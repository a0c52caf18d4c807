/** The questions of runs in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { close } from "../../../core/run/interaction/Interaction.ts"
import { InteractionStore } from "../../../core/run/interaction/InteractionStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  InteractionStore,
  Effect.map(Tables, ({ interactions }) =>
    InteractionStore.of({
      put: (interaction) =>
        Effect.sync(() => {
          const { fence, runId } = interaction
          if ((interactions.get(runId)?.fence ?? 0) <= fence) interactions.set(runId, interaction)
        }),
      get: (workspaceId, runId) =>
        Effect.sync(() =>
          Option.filter(
            Option.fromUndefinedOr(interactions.get(runId)),
            (interaction) => interaction.workspaceId === workspaceId
          )
        ),
      change: Effect.fn("InteractionStore.change")(function* (runId, decide) {
        const now = yield* Clock.currentTimeMillis
        const before = interactions.get(runId)
        if (before === undefined) return Option.none()
        const after = yield* Effect.fromResult(decide(before, now))
        interactions.set(runId, after)
        return Option.some({ before, after })
      }),
      forget: Effect.fn("InteractionStore.forget")(function* (before) {
        const now = yield* Clock.currentTimeMillis
        const left = [...interactions.values()].filter((one) => one.answer !== null && one.expiresAt < before)
        for (const one of left) interactions.set(one.runId, close(one, now))
        return left.length
      })
    })
  ).pipe(Effect.map(atomicStore))
)
