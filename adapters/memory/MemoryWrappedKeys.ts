/** Wrapped encryption keys in memory. */
import { Effect, Layer, Option } from "effect"
import { WrappedKeys } from "../../core/vault/WrappedKeys.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.effect(
  WrappedKeys,
  Effect.map(Tables, ({ wrappedKeys }) =>
    WrappedKeys.of({
      get: (workspaceId) => Effect.sync(() => Option.fromUndefinedOr(wrappedKeys.get(workspaceId))),
      list: Effect.sync(() => [...wrappedKeys.values()]),
      insert: (key) =>
        Effect.sync(() => {
          const kept = wrappedKeys.get(key.workspaceId) ?? key
          wrappedKeys.set(key.workspaceId, kept)
          return kept
        })
    })
  )
)
