/**
 * The encryption key of each workspace: what its credentials are sealed with.
 */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { KeyWrapping, WrappedKeys } from "./WrappedKeys.ts"

/** Raised when the service is started with another master key than the one that its data was made with. */
export class WrongMasterKey extends Schema.TaggedError<WrongMasterKey>()("WrongMasterKey", {
  workspaceId: Schema.String
}) {
  override get message() {
    return `Cannot start with this master key: the encryption key of workspace ${this.workspaceId} was stored under another one. Set SLUICE_MASTER_KEY to the key that the data was made with`
  }
}

export class EncryptionKeys extends Context.Service<
  EncryptionKeys,
  {
    /** The key of a workspace, 64 lower-case hexadecimal digits; made when the workspace has none yet. */
    readonly of: (workspaceId: WorkspaceId) => Effect.Effect<Redacted.Redacted<string>>

    /** Gives a workspace a key unless it has one, and answers the key that it has then. */
    readonly give: (
      workspaceId: WorkspaceId,
      key: Redacted.Redacted<string>
    ) => Effect.Effect<Redacted.Redacted<string>>
  }
>()("sluice/core/vault/EncryptionKeys") {
  /**
   * When it is built, every stored key must unwrap: else it fails and has written nothing. Then each workspace without a
   * key is given one.
   */
  static readonly layer = Layer.effect(
    EncryptionKeys,
    Effect.gen(function* () {
      const stored = yield* WrappedKeys
      const wrapping = yield* KeyWrapping
      const workspaces = yield* WorkspaceStore

      const opened = ({ workspaceId, wrapped }: { readonly workspaceId: WorkspaceId; readonly wrapped: string }) =>
        wrapping.unwrap(workspaceId, wrapped).pipe(Effect.mapError(() => new WrongMasterKey({ workspaceId })))

      const give = Effect.fn("EncryptionKeys.give")(function* (
        workspaceId: WorkspaceId,
        key: Redacted.Redacted<string>
      ) {
        const wrapped = yield* wrapping.wrap(workspaceId, key)
        const createdAt = yield* Clock.currentTimeMillis
        // Somebody else may have given it one since: that one counts, and everybody can read it.
        return yield* Effect.orDie(opened(yield* stored.insert({ workspaceId, wrapped, createdAt })))
      })

      const of = Effect.fn("EncryptionKeys.of")(function* (workspaceId: WorkspaceId) {
        const found = yield* stored.get(workspaceId)
        if (Option.isSome(found)) return yield* Effect.orDie(opened(found.value))
        return yield* give(workspaceId, yield* wrapping.make)
      })

      const known = yield* stored.list
      yield* Effect.forEach(known, opened, { discard: true })
      const withKey = new Set(known.map(({ workspaceId }) => workspaceId))
      for (const { id } of yield* workspaces.list) {
        if (!withKey.has(id)) yield* of(id)
      }

      return EncryptionKeys.of({ of, give })
    })
  )
}
