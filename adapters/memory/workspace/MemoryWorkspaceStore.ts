/** Workspaces and API keys in memory. */
import { Clock, Effect, Layer, Option, Result } from "effect"
import { usesNotedMillis, WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(Tables, ({ keys, workspaces }) =>
    WorkspaceStore.of({
      create: (workspace) => Effect.sync(() => void workspaces.set(workspace.id, workspace)),
      get: (id) => Effect.sync(() => Option.fromUndefinedOr(workspaces.get(id))),
      list: Effect.sync(() => [...workspaces.values()]),
      change: (id, decide) =>
        Effect.sync(() => {
          const before = workspaces.get(id)
          if (before === undefined) return Option.none()
          const after = decide(before)
          workspaces.set(id, after)
          return Option.some(after)
        }),
      addKey: (key) => Effect.sync(() => void keys.set(key.id, key)),
      listKeys: (id) => Effect.sync(() => [...keys.values()].filter((key) => key.workspaceId === id)),
      revokeKey: (workspaceId, keyId, at, accept = () => Result.void) =>
        Effect.suspend(() => {
          const live = [...keys.values()].filter((key) => key.workspaceId === workspaceId && key.revokedAt === null)
          const key = live.find(({ id }) => id === keyId)
          if (key === undefined) return Effect.succeed(Option.none())
          return Effect.map(Effect.fromResult(accept(key, live)), () => {
            const revoked = { ...key, revokedAt: at }
            keys.set(keyId, revoked)
            return Option.some(revoked)
          })
        }),
      getKey: (workspaceId, id) =>
        Effect.sync(() =>
          Option.filter(Option.fromUndefinedOr(keys.get(id)), (key) => key.workspaceId === workspaceId)
        ),
      noteSealing: (workspaceId, id, sealsWith) =>
        Effect.sync(() => {
          const key = keys.get(id)
          if (key?.workspaceId === workspaceId) keys.set(id, { ...key, sealsWith })
        }),
      changeKey: (workspaceId, id, decide) =>
        Effect.suspend(() => {
          const key = keys.get(id)
          if (key === undefined || key.workspaceId !== workspaceId || key.revokedAt !== null) {
            return Effect.succeed(Option.none())
          }
          return Effect.map(Effect.fromResult(decide(key)), (after) => {
            keys.set(id, after)
            return Option.some(after)
          })
        }),
      authenticate: (hash) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = [...keys.values()].find(
            (one) => one.hash === hash && one.revokedAt === null && (one.expiresAt ?? Infinity) > now
          )
          if (key === undefined) return Option.none()
          if ((key.lastUsedAt ?? 0) <= now - usesNotedMillis) keys.set(key.id, { ...key, lastUsedAt: now })
          const { id, role, scopes, userId, workspaceId } = key
          return Option.some({ role, userId, workspaceId, keyId: id, ...(scopes === undefined ? {} : { scopes }) })
        })
    })
  ).pipe(Effect.map(atomicStore))
)
