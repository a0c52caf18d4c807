/**
 * Where workspaces and their API keys are kept. A key itself is never kept, only its SHA-256.
 */
import { Context, type Effect, type Option } from "effect"
import type { Caller, Role, UserId, Workspace, WorkspaceId } from "./Workspace.ts"

/** A key as it is kept. `hash` is the lower-case hex SHA-256 of the key. */
export interface StoredKey {
  readonly id: string
  readonly hash: string
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly role: Role
  readonly createdAt: number
  readonly revokedAt: number | null
}

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    readonly create: (workspace: Workspace) => Effect.Effect<void>
    readonly get: (id: WorkspaceId) => Effect.Effect<Option.Option<Workspace>>
    readonly list: Effect.Effect<ReadonlyArray<Workspace>>
    readonly addKey: (key: StoredKey) => Effect.Effect<void>
    readonly listKeys: (id: WorkspaceId) => Effect.Effect<ReadonlyArray<StoredKey>>
    /** Revokes a key from `at` on, and tells whether there was such a key of this workspace that was not revoked yet. */
    readonly revokeKey: (workspaceId: WorkspaceId, keyId: string, at: number) => Effect.Effect<boolean>
    /** Who the key with this hash speaks for; none when it is unknown or revoked. */
    readonly authenticate: (hash: string) => Effect.Effect<Option.Option<Caller>>
  }
>()("sluice/core/workspace/WorkspaceStore") {}
