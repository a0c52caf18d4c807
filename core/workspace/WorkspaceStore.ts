/** The store of workspaces and their API keys. Only the SHA-256 of a key is stored. */
import { Context, type Effect, type Option, type Result } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { UserId, WorkspaceId } from "./Ids.ts"
import type { Caller, Role, Scope, Workspace } from "./Workspace.ts"

/** A stored key. `hash` is the lower-case hex SHA-256 of the key. */
export interface StoredKey {
  readonly id: string
  readonly hash: string
  /** The name that users gave it. */
  readonly name: string | null
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly role: Role
  readonly createdAt: number
  readonly revokedAt: number | null
  /** The version of the encryption key that the client of this key last used, if known. */
  readonly sealsWith?: number
  /** The scopes of the key, which restrict the abilities of its role. */
  readonly scopes?: ReadonlyArray<Scope>
  /** The first instant at which the key is not accepted. */
  readonly expiresAt?: number
  /** The last use of the key, accurate to about a minute. */
  readonly lastUsedAt?: number
}

/** The interval at which a process stores the last uses of all keys, in one statement, in milliseconds. */
export const usesNotedMillis = 60_000

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    readonly create: (workspace: Workspace) => Effect.Effect<void, StoreUnavailable>
    readonly get: (id: WorkspaceId) => Effect.Effect<Option.Option<Workspace>, StoreUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<Workspace>, StoreUnavailable>
    /** Changes a workspace by a pure decision made while the workspace is locked, and returns the new workspace. */
    readonly change: (
      id: WorkspaceId,
      decide: (before: Workspace) => Workspace
    ) => Effect.Effect<Option.Option<Workspace>, StoreUnavailable>
    readonly addKey: (key: StoredKey) => Effect.Effect<void, StoreUnavailable>
    readonly listKeys: (id: WorkspaceId) => Effect.Effect<ReadonlyArray<StoredKey>, StoreUnavailable>
    /**
     * Revokes a key at `at` and returns it; none if the workspace has no such key, or it is already revoked.
     *
     * `accept` receives all keys of the workspace that are not revoked, under a lock that prevents other revocations. A
     * key that it refuses is not changed.
     */
    readonly revokeKey: <E = never>(
      workspaceId: WorkspaceId,
      keyId: string,
      at: number,
      accept?: (key: StoredKey, live: ReadonlyArray<StoredKey>) => Result.Result<void, E>
    ) => Effect.Effect<Option.Option<StoredKey>, E | StoreUnavailable>
    readonly getKey: (
      workspaceId: WorkspaceId,
      keyId: string
    ) => Effect.Effect<Option.Option<StoredKey>, StoreUnavailable>
    /** Changes a key that is not revoked by a pure decision made while it is locked; none if there is no such key. */
    readonly changeKey: <E>(
      workspaceId: WorkspaceId,
      keyId: string,
      decide: (before: StoredKey) => Result.Result<StoredKey, E>
    ) => Effect.Effect<Option.Option<StoredKey>, E | StoreUnavailable>
    /** Stores which version of the encryption key the client of a key uses. */
    readonly noteSealing: (
      workspaceId: WorkspaceId,
      keyId: string,
      version: number
    ) => Effect.Effect<void, StoreUnavailable>
    /** The user and workspace of the key with this hash; none when it is unknown, revoked or expired. */
    readonly authenticate: (hash: string) => Effect.Effect<Option.Option<Caller>, StoreUnavailable>
  }
>()("sluice/core/workspace/WorkspaceStore") {}
