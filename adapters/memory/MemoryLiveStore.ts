/** Admissions and pictures of watched runs in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { LiveStore } from "../../core/run/LiveStore.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.effect(
  LiveStore,
  Effect.map(Tables, ({ admissions, frames, runs }) =>
    LiveStore.of({
      admit: Effect.fnUntraced(function* (admission) {
        const now = yield* Clock.currentTimeMillis
        for (const { expiresAt, hash } of admissions.values()) if (expiresAt <= now) admissions.delete(hash)
        admissions.set(admission.hash, admission)
      }),
      redeem: Effect.fnUntraced(function* (hash) {
        const now = yield* Clock.currentTimeMillis
        const found = Option.fromUndefinedOr(admissions.get(hash))
        admissions.delete(hash)
        return Option.filter(found, ({ expiresAt }) => expiresAt > now)
      }),
      workspaceOf: (runId) => Effect.sync(() => Option.fromUndefinedOr(runs.get(runId)?.workspaceId)),
      show: (runId, frame) => Effect.sync(() => void frames.set(runId, frame)),
      frame: (runId, after) =>
        Effect.sync(() => Option.filter(Option.fromUndefinedOr(frames.get(runId)), ({ at }) => at > after)),
      hide: (runId) => Effect.sync(() => void frames.delete(runId))
    })
  )
)
