/** Workspaces and API keys in memory. */
import { Effect, Layer, Option } from "effect"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(Tables, ({ keys, workspaces }) =>
    WorkspaceStore.of({
      create: (workspace) => Effect.sync(() => void workspaces.set(workspace.id, workspace)),
      get: (id) => Effect.sync(() => Option.fromUndefinedOr(workspaces.get(id))),
      list: Effect.sync(() => [...workspaces.values()]),
      addKey: (key) => Effect.sync(() => void keys.set(key.id, key)),
      listKeys: (id) => Effect.sync(() => [...keys.values()].filter((key) => key.workspaceId === id)),
      revokeKey: (workspaceId, keyId, at) =>
        Effect.sync(() => {
          const key = keys.get(keyId)
          if (key === undefined || key.workspaceId !== workspaceId || key.revokedAt !== null) return false
          keys.set(keyId, { ...key, revokedAt: at })
          return true
        }),
      authenticate: (hash) =>
        Effect.sync(() => {
          const key = [...keys.values()].find((one) => one.hash === hash && one.revokedAt === null)
          return Option.map(Option.fromUndefinedOr(key), ({ role, userId, workspaceId }) => ({
            role,
            userId,
            workspaceId
          }))
        })
    })
  )
)
