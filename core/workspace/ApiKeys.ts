/** The service that makes, lists, rotates and revokes the API keys of a workspace. */
import { Clock, Context, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit } from "./audit/Audit.ts"
import type { AuditAction } from "./audit/AuditAction.ts"
import { Identifiers } from "./Identifiers.ts"
import { UserId, type WorkspaceId } from "./Ids.ts"
import { Keys } from "./Keys.ts"
import * as Permissions from "./Permissions.ts"
import { permits, type Role, type RoleForbids, type Scope } from "./Workspace.ts"
import { type StoredKey, WorkspaceStore } from "./WorkspaceStore.ts"

/** The public part of a key: everything but its hash. */
export type ApiKey = Omit<StoredKey, "hash">

/** The properties of a new key. Without scopes, the key has all abilities of its role. */
export interface NewKey {
  readonly role: Role
  readonly name: string | null
  readonly scopes?: ReadonlyArray<Scope>
  /** The first instant at which the key is not accepted. */
  readonly expiresAt?: number
}

/** Raised for a key that does not exist in the workspace, or is revoked already. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", { id: Schema.String }) {
  override get message() {
    return `API key "${this.id}" not found in this workspace, or revoked already`
  }
}

/** Raised when the last key with the role Owner would be revoked: without it, no further key could be created. */
export class LastOwnerKey extends Schema.TaggedError<LastOwnerKey>()("LastOwnerKey", { id: Schema.String }) {
  override get message() {
    return `Cannot revoke API key "${this.id}": it is the last one with the role Owner; make another one first`
  }
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** All keys that the workspace ever had, oldest first. */
    readonly list: (acting: Permissions.Acting) => Effect.Effect<ReadonlyArray<ApiKey>, RoleForbids | StoreUnavailable>

    /** Makes a key of a new user. `key` is returned only here; only its hash is stored. */
    readonly make: (
      acting: Permissions.Acting,
      options: NewKey
    ) => Effect.Effect<
      { readonly stored: ApiKey; readonly key: Redacted.Redacted<string> },
      RoleForbids | StoreUnavailable
    >

    /**
     * Makes a key of the same user, name, role and scopes. The old key expires after `graceSeconds`, or at its own
     * expiry if that is earlier. Fails for a key that is revoked or has expired.
     */
    readonly rotate: (
      acting: Permissions.Acting,
      id: string,
      graceSeconds: number
    ) => Effect.Effect<
      { readonly stored: ApiKey; readonly former: ApiKey; readonly key: Redacted.Redacted<string> },
      ApiKeyNotFound | RoleForbids | StoreUnavailable
    >

    /** Revokes a key at once and answers it, unless no key with the role Owner would be left. */
    readonly revoke: (
      acting: Permissions.Acting,
      id: string
    ) => Effect.Effect<ApiKey, ApiKeyNotFound | LastOwnerKey | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/workspace/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const keys = yield* Keys
      const identifiers = yield* Identifiers
      const audit = yield* Audit

      const draft = yield* drafting

      const make = Effect.fn("ApiKeys.make")(function* (acting: Permissions.Acting, options: NewKey) {
        const { hash, key, stored } = yield* draft(acting.workspaceId, options)
        yield* audit.recording(acting, store.addKey({ ...stored, hash }), () => [creationOf(stored)])
        return { stored, key }
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (acting: Permissions.Acting, id: string) {
        const at = yield* Clock.currentTimeMillis
        const revoked = yield* audit.recording(
          acting,
          store.revokeKey(acting.workspaceId, id.toLowerCase(), at, leavesAnOwner),
          revocationOf
        )
        return Option.isSome(revoked) ? shown(revoked.value) : yield* new ApiKeyNotFound({ id })
      })

      const rotate = Effect.fn("ApiKeys.rotate")(function* (
        acting: Permissions.Acting,
        id: string,
        graceSeconds: number
      ) {
        const now = yield* Clock.currentTimeMillis
        const key = yield* keys.make
        const hash = yield* keys.hash(key)
        const newId = yield* identifiers.uuid
        const rotation = Effect.gen(function* () {
          let expiry: number | undefined
          const former = yield* store.changeKey(acting.workspaceId, id.toLowerCase(), (before) => {
            if (before.expiresAt !== undefined && before.expiresAt <= now)
              return Result.fail(new ApiKeyNotFound({ id }))
            expiry = before.expiresAt
            return Result.succeed({ ...before, expiresAt: Math.min(now + graceSeconds * 1_000, expiry ?? Infinity) })
          })
          if (Option.isNone(former)) return yield* new ApiKeyNotFound({ id })
          const { expiresAt: _expiresAt, lastUsedAt: _lastUsedAt, sealsWith: _sealsWith, ...rest } = former.value
          const next: StoredKey = {
            ...rest,
            id: newId,
            hash,
            createdAt: now,
            ...(expiry === undefined ? {} : { expiresAt: expiry })
          }
          yield* store.addKey(next)
          return { stored: shown(next), former: shown(former.value) }
        })
        const rotated = yield* audit.recording(acting, rotation, ({ former, stored }) => [
          { ...entry("key.rotate", former, former, stored), after: { ...audited(stored), api_key_id: stored.id } }
        ])
        return { ...rotated, key }
      })

      return ApiKeys.of({
        make,
        rotate,
        revoke,
        list: Effect.fn("ApiKeys.list")(({ workspaceId }) =>
          Effect.map(store.listKeys(workspaceId), (all) => all.map(shown))
        )
      })
    }).pipe(
      Permissions.checked<ApiKeys["Service"]>({ list: "manage", make: "manage", rotate: "manage", revoke: "manage" })
    )
  )
}

/** A key of a new user that is not stored yet, with its hash. */
export interface DraftKey {
  readonly stored: ApiKey
  readonly key: Redacted.Redacted<string>
  readonly hash: string
}

/** Drafts keys of new users. */
export const drafting = Effect.gen(function* () {
  const keys = yield* Keys
  const identifiers = yield* Identifiers
  return Effect.fnUntraced(function* (workspaceId: WorkspaceId, { expiresAt, name, role, scopes }: NewKey) {
    const key = yield* keys.make
    const stored: ApiKey = {
      id: yield* identifiers.uuid,
      name,
      workspaceId,
      userId: UserId.make(yield* identifiers.uuid),
      role,
      createdAt: yield* Clock.currentTimeMillis,
      revokedAt: null,
      ...(scopes === undefined ? {} : { scopes }),
      ...(expiresAt === undefined ? {} : { expiresAt })
    }
    return { stored, key, hash: yield* keys.hash(key) } satisfies DraftKey
  })
})

/** The audit entry of a new key. */
export const creationOf = (key: ApiKey) => entry("key.create", key, null, key)

const shown = ({ hash: _hash, ...key }: StoredKey): ApiKey => key

/** The audit entry of a revocation; none if no key was revoked. */
export const revocationOf = (revoked: Option.Option<ApiKey>) =>
  Option.isNone(revoked)
    ? []
    : [entry("key.revoke", revoked.value, { ...revoked.value, revokedAt: null }, revoked.value)]

/** The audit entry of a change of a key. */
const entry = (action: AuditAction, key: ApiKey, before: ApiKey | null, after: ApiKey) => ({
  action,
  resourceId: key.id,
  resourceName: key.name,
  before: before === null ? null : audited(before),
  after: audited(after)
})

const audited = ({ createdAt, expiresAt, name, revokedAt, role, scopes, userId }: ApiKey) => ({
  name,
  role,
  scopes: scopes ?? null,
  expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  user_id: userId,
  created_at: new Date(createdAt).toISOString(),
  revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString()
})

/** Whether another key with the role Owner remains, for at least as long as the revoked one would have been valid. */
const leavesAnOwner = (key: StoredKey, live: ReadonlyArray<StoredKey>): Result.Result<void, LastOwnerKey> =>
  permits(key, "manage") &&
  !live.some(
    (other) =>
      permits(other, "manage") && other.id !== key.id && (other.expiresAt ?? Infinity) >= (key.expiresAt ?? Infinity)
  )
    ? Result.fail(new LastOwnerKey({ id: key.id }))
    : Result.void
