/**
 * The encryption keys of each workspace: what its credentials are sealed with.
 *
 * A workspace has one key, and while it is exchanged for another also the former one:
 *
 * ```
 *   add: a new key, and the former one is accepted   retire: only the new one is   discard: the former one is gone
 * ```
 */
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { InstallationKey, underWhich } from "./InstallationKey.ts"
import { KeyWrapping, type WrappedKey, WrappedKeys } from "./WrappedKeys.ts"

export interface EncryptionKey {
  readonly version: number
  /** 64 lower-case hexadecimal digits. */
  readonly key: Redacted.Redacted<string>
  readonly createdAt: number
  /** From this instant on callers may not use it; `null` while they may. */
  readonly retiredAt: number | null
}

export interface KeyRing {
  /** The key that seals new values. */
  readonly present: EncryptionKey
  /** Former keys that may have sealed values, the newest first. */
  readonly former: ReadonlyArray<EncryptionKey>
}

export class EncryptionKeys extends Context.Service<
  EncryptionKeys,
  {
    /** The present key of a workspace; made when the workspace has none yet. */
    readonly of: (workspaceId: WorkspaceId) => Effect.Effect<Redacted.Redacted<string>, StoreUnavailable>

    readonly ring: (workspaceId: WorkspaceId) => Effect.Effect<KeyRing, StoreUnavailable>

    /** Gives a workspace a key unless it has one, and answers the key that it has then. */
    readonly give: (
      workspaceId: WorkspaceId,
      key: Redacted.Redacted<string>
    ) => Effect.Effect<Redacted.Redacted<string>, StoreUnavailable>

    /**
     * Replaces the present key, whose version is `after`; that key is still accepted. Returns false if another caller
     * replaced it first.
     */
    readonly add: (
      workspaceId: WorkspaceId,
      after: number,
      key: Redacted.Redacted<string>
    ) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("sluice/core/vault/keys/EncryptionKeys") {
  /** When it is built, each workspace without a key is given one. */
  static readonly layer = Layer.effect(
    EncryptionKeys,
    Effect.gen(function* () {
      // It has looked whether every key can be read.
      yield* InstallationKey
      const stored = yield* WrappedKeys
      const wrapping = yield* KeyWrapping
      const workspaces = yield* WorkspaceStore
      const context = yield* Effect.context<WrappedKeys | KeyWrapping>()

      const opened = (kept: WrappedKey) =>
        Effect.map(
          Effect.orDie(wrapping.unwrap(kept)),
          ({ key }): EncryptionKey => ({
            version: kept.version,
            key,
            createdAt: kept.createdAt,
            retiredAt: kept.retiredAt
          })
        )

      /** Stores a key of this version, unless another caller stored one first, and returns the stored key. */
      const keep = Effect.fnUntraced(function* (owner: WorkspaceId, version: number, key: Redacted.Redacted<string>) {
        const under = yield* Effect.provide(underWhich, context)
        const wrapped = yield* wrapping.wrap({ owner, version }, key, under)
        const createdAt = yield* Clock.currentTimeMillis
        const kept = yield* stored.insert({ owner, version, wrapped, under, createdAt, retiredAt: null })
        return { kept: yield* opened(kept), isOurs: kept.wrapped === wrapped }
      })

      const give = Effect.fn("EncryptionKeys.give")(function* (
        workspaceId: WorkspaceId,
        key: Redacted.Redacted<string>
      ) {
        return (yield* keep(workspaceId, 1, key)).kept.key
      })

      const ring = Effect.fn("EncryptionKeys.ring")(function* (workspaceId: WorkspaceId) {
        const known = yield* stored.of(workspaceId)
        const [present, ...former] = yield* Effect.forEach(known.toReversed(), opened)
        if (present !== undefined) return { present, former }
        return { present: (yield* keep(workspaceId, 1, yield* wrapping.make)).kept, former: [] }
      })

      const withKey = new Set((yield* stored.list).map(({ owner }) => owner))
      for (const { id } of yield* workspaces.list) {
        if (!withKey.has(id)) yield* ring(id)
      }

      return EncryptionKeys.of({
        ring,
        give,
        of: (workspaceId) => Effect.map(ring(workspaceId), ({ present }) => present.key),
        add: Effect.fn("EncryptionKeys.add")((workspaceId, after, key) =>
          Effect.map(keep(workspaceId, after + 1, key), ({ isOurs }) => isOurs)
        )
      })
    })
  )
}

/** An API key, as far as it decides which encryption key its holder reads with. */
export interface Reader {
  readonly createdAt: number
  /** The version of the key that its holder last sealed a value with, where that was noted. */
  readonly sealsWith?: number
}

/** The former key that callers may still use; `null` when there is none. */
export const accepted = ({ former }: KeyRing): EncryptionKey | null =>
  former.find(({ retiredAt }) => retiredAt === null) ?? null

/**
 * The version of the key that a reader has: the one that it last sealed with. One that has sealed nothing since the
 * exchange began has the former key, or the present one when the API key is younger than that.
 */
export const effectiveVersion = (ring: KeyRing, { createdAt, sealsWith }: Reader): number => {
  const former = accepted(ring)
  if (former === null || sealsWith === ring.present.version) return ring.present.version
  return sealsWith !== former.version && createdAt >= ring.present.createdAt ? ring.present.version : former.version
}
