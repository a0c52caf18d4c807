/**
 * The encryption keys of workspaces, as they are kept: wrapped by the master key, which is not kept.
 */
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface WrappedKey {
  readonly workspaceId: WorkspaceId
  /** In hexadecimal. */
  readonly wrapped: string
  readonly createdAt: number
}

export class WrappedKeys extends Context.Service<
  WrappedKeys,
  {
    readonly get: (workspaceId: WorkspaceId) => Effect.Effect<Option.Option<WrappedKey>>
    readonly list: Effect.Effect<ReadonlyArray<WrappedKey>>
    /** Keeps a key unless the workspace has one, and answers the one that it has then. */
    readonly insert: (key: WrappedKey) => Effect.Effect<WrappedKey>
  }
>()("sluice/core/vault/WrappedKeys") {}

/** Raised for a wrapped key that the master key does not unwrap, or that is of another workspace. */
export class CannotUnwrap extends Schema.TaggedError<CannotUnwrap>()("CannotUnwrap", {}) {
  override get message() {
    return "Cannot unwrap the key: it was wrapped with another master key, or for another workspace"
  }
}

/** Makes keys, and wraps them with the master key. Keys are 64 lower-case hexadecimal digits. */
export class KeyWrapping extends Context.Service<
  KeyWrapping,
  {
    readonly make: Effect.Effect<Redacted.Redacted<string>>
    readonly wrap: (workspaceId: WorkspaceId, key: Redacted.Redacted<string>) => Effect.Effect<string>
    readonly unwrap: (
      workspaceId: WorkspaceId,
      wrapped: string
    ) => Effect.Effect<Redacted.Redacted<string>, CannotUnwrap>
  }
>()("sluice/core/vault/KeyWrapping") {}
