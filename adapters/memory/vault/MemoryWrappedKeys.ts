/** Wrapped keys in memory. */
import { Effect, Layer } from "effect"
import { type Owner, type WrappedKey, WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  WrappedKeys,
  Effect.map(Tables, ({ wrappedKeys }) => {
    const nameOf = ({ owner, version }: Pick<WrappedKey, "owner" | "version">) => `${owner} ${version}`
    const of = (owner: Owner) =>
      [...wrappedKeys.values()].filter((key) => key.owner === owner).sort((a, b) => a.version - b.version)
    return WrappedKeys.of({
      of: (owner) => Effect.sync(() => of(owner)),
      list: Effect.sync(() => [...wrappedKeys.values()]),
      insert: (key) =>
        Effect.sync(() => {
          const kept = wrappedKeys.get(nameOf(key)) ?? key
          wrappedKeys.set(nameOf(key), kept)
          return kept
        }),
      rewrap: (before, after) =>
        Effect.sync(() => {
          const kept = wrappedKeys.get(nameOf(before))
          if (kept?.wrapped !== before.wrapped) return false
          wrappedKeys.set(nameOf(kept), { ...kept, ...after })
          return true
        }),
      retire: (owner, version, at) =>
        Effect.sync(() => {
          const kept = wrappedKeys.get(nameOf({ owner, version }))
          if (kept === undefined || kept.retiredAt !== null) return false
          wrappedKeys.set(nameOf(kept), { ...kept, retiredAt: at })
          return true
        }),
      remove: (owner, version) =>
        Effect.sync(() => {
          const name = nameOf({ owner, version })
          if (wrappedKeys.get(name)?.retiredAt != null) wrappedKeys.delete(name)
        })
    })
  }).pipe(Effect.map(atomicStore))
)
