/**
 * Rotation of the encryption key of a workspace while it is in use.
 *
 * ```
 *            begin                    (everything is re-encrypted)             finish
 *   one key -------> two keys are accepted -----------------------> may end --------> one key
 * ```
 *
 * Clients that still have the former key can use it until the rotation is finished.
 */

import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import type { AuditAction } from "../../workspace/audit/AuditAction.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { RoleForbids } from "../../workspace/Workspace.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { accepted, type EncryptionKey, EncryptionKeys, effectiveVersion } from "./EncryptionKeys.ts"
import { ReencryptionWalks } from "./Reencryption.ts"
import * as ReencryptionTargets from "./ReencryptionTargets.ts"
import { KeyWrapping, WrappedKeys } from "./WrappedKeys.ts"

export interface RotationState {
  /** The version of the present key: how many keys the workspace has had. */
  readonly version: number
  readonly createdAt: number
  /** The version of the former key while callers may still use it. */
  readonly formerVersion: number | null
  /**
   * How many records were checked for values under a former key, how many are left, and how many values were
   * re-encrypted.
   */
  readonly checked: number
  readonly left: number
  readonly resealed: number
  /** Values that no key of the workspace opens. They do not stand against the end. */
  readonly unreadable: number
  /** How many API keys that are not revoked are answered in values under the former key. */
  readonly apiKeysOnFormer: number
  /** Whether the former key may be given up. */
  readonly mayFinish: boolean
}

/** Raised when a rotation begins while another one is in progress. */
export class RotationInProgress extends Schema.TaggedError<RotationInProgress>()("RotationInProgress", {}) {
  override get message() {
    return "Cannot begin another rotation of the encryption key: one is in progress. Finish it first"
  }
}

/** Raised for a new key that is the present one. */
export class SameKey extends Schema.TaggedError<SameKey>()("SameKey", {}) {
  override get message() {
    return "Cannot rotate to this encryption key: the workspace has it already"
  }
}

/** Raised when there is nothing to finish. */
export class NoRotation extends Schema.TaggedError<NoRotation>()("NoRotation", {}) {
  override get message() {
    return "Cannot finish the rotation of the encryption key: none is in progress"
  }
}

/** Raised when something may still be under the former key. */
export class NotReencrypted extends Schema.TaggedError<NotReencrypted>()("NotReencrypted", {
  checked: Schema.Int,
  left: Schema.Int
}) {
  override get message() {
    return `Cannot finish the rotation of the encryption key yet: ${this.checked} records were checked, and ${this.left} are left that may be under the former key. A scheduler process re-encrypts them in the background; try again later`
  }
}

export class KeyRotation extends Context.Service<
  KeyRotation,
  {
    /**
     * Gives the workspace a new key, a random one if none is named, and answers it. Values that are sealed with the
     * former key are still accepted. While that rotation is in progress, the same named key is answered again and nothing
     * is changed, so that a caller whose answer was lost can repeat its request.
     */
    readonly begin: (
      acting: Permissions.Acting,
      key: Redacted.Redacted<string> | null
    ) => Effect.Effect<Redacted.Redacted<string>, RotationInProgress | SameKey | RoleForbids | StoreUnavailable>
    readonly state: (acting: Permissions.Acting) => Effect.Effect<RotationState, RoleForbids | StoreUnavailable>
    /** Ends the acceptance of the former key, once everything is under the present one. */
    readonly finish: (
      acting: Permissions.Acting
    ) => Effect.Effect<RotationState, NoRotation | NotReencrypted | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/vault/keys/KeyRotation") {
  static readonly layer = Layer.effect(
    KeyRotation,
    Effect.gen(function* () {
      const keys = yield* EncryptionKeys
      const audit = yield* Audit
      const stored = yield* WrappedKeys
      const wrapping = yield* KeyWrapping
      const walks = yield* ReencryptionWalks
      const workspaces = yield* WorkspaceStore
      const targets = yield* ReencryptionTargets.all

      /** How many things lie before a walk, or all where there is none. */
      const left = Effect.fnUntraced(function* (
        workspaceId: WorkspaceId,
        at: { readonly place: string; readonly after: string | null } | null
      ) {
        const from = Math.max(
          targets.findIndex(({ name }) => name === at?.place),
          0
        )
        const counts = yield* Effect.forEach(targets.slice(from), (target, index) =>
          target.left(workspaceId, index === 0 ? (at?.after ?? null) : null)
        )
        return counts.reduce((sum, count) => sum + count, 0)
      })

      const state = Effect.fn("KeyRotation.state")(function* ({
        workspaceId
      }: Pick<Permissions.Acting, "workspaceId">) {
        const ring = yield* keys.ring(workspaceId)
        const former = accepted(ring)
        const [known] = yield* walks.list(workspaceId)
        const walk = known?.version === ring.present.version ? known : null
        const ended = walk !== null && walk.endedAt !== null
        const live = (yield* workspaces.listKeys(workspaceId)).filter(({ revokedAt }) => revokedAt === null)
        return {
          version: ring.present.version,
          createdAt: ring.present.createdAt,
          formerVersion: former?.version ?? null,
          checked: walk?.checked ?? 0,
          left: former === null || ended ? 0 : yield* left(workspaceId, walk),
          resealed: walk?.resealed ?? 0,
          unreadable: walk?.unreadable ?? 0,
          apiKeysOnFormer: live.filter((key) => effectiveVersion(ring, key) !== ring.present.version).length,
          mayFinish: former !== null && ended
        } satisfies RotationState
      })

      return KeyRotation.of({
        state,
        begin: Effect.fn("KeyRotation.begin")(function* (acting, given) {
          const { workspaceId } = acting
          const ring = yield* keys.ring(workspaceId)
          const key = given === null ? yield* wrapping.make : Redacted.make(Redacted.value(given).toLowerCase())
          if (accepted(ring) !== null) return isKey(ring.present, key) ? key : yield* new RotationInProgress()
          if ([ring.present, ...ring.former].some((encryptionKey) => isKey(encryptionKey, key)))
            return yield* new SameKey()
          const { version } = ring.present
          const began = yield* audit.recording(acting, keys.add(workspaceId, version, key), (added) =>
            added ? [rotationEntry("encryption_key.rotate", version, version + 1)] : []
          )
          if (began) return key
          const { present } = yield* keys.ring(workspaceId)
          return isKey(present, key) ? key : yield* new RotationInProgress()
        }),
        finish: Effect.fn("KeyRotation.finish")(function* (acting) {
          const before = yield* state(acting)
          if (before.formerVersion === null) return yield* new NoRotation()
          if (!before.mayFinish) return yield* new NotReencrypted({ checked: before.checked, left: before.left })
          const { formerVersion, version } = before
          const retire = stored.retire(acting.workspaceId, formerVersion, yield* Clock.currentTimeMillis)
          yield* audit.recording(acting, retire, () => [
            rotationEntry("encryption_key.finish_rotation", formerVersion, version)
          ])
          return yield* state(acting)
        })
      })
    }).pipe(Permissions.checked<KeyRotation["Service"]>({ begin: "manage", state: "manage", finish: "manage" }))
  )
}

const isKey = (encryptionKey: EncryptionKey, key: Redacted.Redacted<string>): boolean =>
  Redacted.value(encryptionKey.key) === Redacted.value(key)

/** The audit entry of a step of a rotation: versions of the key, and never the key. */
const rotationEntry = (action: AuditAction, before: number, after: number): Draft => ({
  action,
  resourceId: null,
  before: { version: before },
  after: { version: after }
})
