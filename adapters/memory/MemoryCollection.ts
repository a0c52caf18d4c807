/** Collections in memory. */
import { Effect, Option } from "effect"
import { type Collection, type CollectionRecord, KeyTaken, type Kind } from "../../core/workspace/Collection.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import { atomic } from "./Atomic.ts"
import { Tables } from "./Tables.ts"

/** The collection of a kind. */
export const make = <A extends CollectionRecord>(kind: Kind<A>): Effect.Effect<Collection<A>, never, Tables> =>
  Effect.map(Tables, ({ collections }) => {
    const entries =
      collections.get(kind.name) ?? new Map<string, { workspaceId: WorkspaceId; value: CollectionRecord }>()
    collections.set(kind.name, entries)

    const own = (workspaceId: WorkspaceId): ReadonlyArray<A> =>
      // The table of a kind holds only values of that kind.
      [...entries.values()].filter((entry) => entry.workspaceId === workspaceId).map(({ value }) => value as A)
    const following = (workspaceId: WorkspaceId, after: string | null) =>
      own(workspaceId)
        .filter(({ id }) => after === null || id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    const get = (workspaceId: WorkspaceId, id: string) =>
      Option.fromUndefinedOr(own(workspaceId).find((value) => value.id === id))
    const keep = (workspaceId: WorkspaceId, value: A) =>
      Effect.suspend(() => {
        const key = kind.key(value)
        if (own(workspaceId).some((other) => other.id !== value.id && kind.key(other) === key)) {
          return Effect.fail(new KeyTaken({ key }))
        }
        entries.set(value.id, { workspaceId, value })
        return Effect.void
      })

    return {
      list: (workspaceId) => Effect.sync(() => own(workspaceId)),
      page: (workspaceId, after, limit) =>
        Effect.sync(() => {
          const all = following(workspaceId, after)
          const values = all.slice(0, limit)
          return { values, next: all.length > limit ? (values.at(-1)?.id ?? null) : null }
        }),
      left: (workspaceId, after) => Effect.sync(() => following(workspaceId, after).length),
      get: (workspaceId, id) => Effect.sync(() => get(workspaceId, id)),
      find: (workspaceId, key) =>
        Effect.sync(() => Option.fromUndefinedOr(own(workspaceId).find((value) => kind.key(value) === key))),
      insert: keep,
      change: Effect.fnUntraced(function* (workspaceId, id, decide) {
        const before = get(workspaceId, id)
        if (Option.isNone(before)) return before
        const after = yield* Effect.fromResult(decide(before.value))
        yield* keep(workspaceId, after)
        return Option.some(after)
      }, atomic),
      remove: (workspaceId, id) =>
        Effect.sync(() => {
          const before = get(workspaceId, id)
          if (Option.isSome(before)) entries.delete(id)
          return before
        })
    }
  })
