/**
 * The store of workspaces and their API keys. A key itself is never kept, only its SHA-256.
 */
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
  /** The version of the encryption key that its holder last sealed a value with, where that was noted. */
  readonly sealsWith?: number
  /** What the key is restricted to, of what its role allows. */
  readonly scopes?: ReadonlyArray<Scope>
  /** From this instant on it is not accepted. */
  readonly expiresAt?: number
  /** When it was last used, to within about a minute. */
  readonly lastUsedAt?: number
}

/** How often the uses of keys are noted: once in so many milliseconds, in one statement for all keys of a process. */
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
     * Revokes a key from `at` on and answers it; none when there was no such key of this workspace that was not revoked.
     *
     * `accept` sees all keys of the workspace that are not revoked, while no other one can be revoked; a key that it
     * refuses is not changed.
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
    /** Changes a key that is not revoked by a pure decision made while it is locked; none where there is no such key. */
    readonly changeKey: <E>(
      workspaceId: WorkspaceId,
      keyId: string,
      decide: (before: StoredKey) => Result.Result<StoredKey, E>
    ) => Effect.Effect<Option.Option<StoredKey>, E | StoreUnavailable>
    /** Notes which version of the encryption key the holder of a key seals with. */
    readonly noteSealing: (
      workspaceId: WorkspaceId,
      keyId: string,
      version: number
    ) => Effect.Effect<void, StoreUnavailable>
    /** The user and workspace of the key with this hash; none when it is unknown, revoked or expired. */
    readonly authenticate: (hash: string) => Effect.Effect<Option.Option<Caller>, StoreUnavailable>
  }
>()("sluice/core/workspace/WorkspaceStore") {}
