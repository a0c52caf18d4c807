/**
 * The keys of the service, as they are kept: wrapped by a master key, which is not kept.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"

/** The owner of the key: a workspace's, or that of the installation itself. */
export type Owner = WorkspaceId | "installation"

export interface WrappedKey {
  readonly owner: Owner
  /** 1 for the first key of its owner, and one more for each that took its place. */
  readonly version: number
  /** In hexadecimal. */
  readonly wrapped: string
  /** The id of the master key that it is under. */
  readonly under: string
  readonly createdAt: number
  /** From this instant on nothing that a caller seals with it is accepted; `null` while it is. */
  readonly retiredAt: number | null
}

export class WrappedKeys extends Context.Service<
  WrappedKeys,
  {
    /** The keys of one owner, the oldest first. */
    readonly of: (owner: Owner) => Effect.Effect<ReadonlyArray<WrappedKey>, StoreUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<WrappedKey>, StoreUnavailable>
    /** Keeps a key unless its owner has one of that version, and answers the one that it has then. */
    readonly insert: (key: WrappedKey) => Effect.Effect<WrappedKey, StoreUnavailable>
    /** Replaces the wrapping `before` by another, unless another process has; returns whether it did. */
    readonly rewrap: (
      before: WrappedKey,
      after: { readonly wrapped: string; readonly under: string }
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Retires a key that is not retired yet; returns whether it did. */
    readonly retire: (owner: Owner, version: number, at: number) => Effect.Effect<boolean, StoreUnavailable>
    /** Removes a retired key. */
    readonly remove: (owner: Owner, version: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/vault/keys/WrappedKeys") {}

/** Raised for a wrapped key that no master key of this process unwraps, or that is of another owner. */
export class CannotUnwrap extends Schema.TaggedError<CannotUnwrap>()("CannotUnwrap", {}) {
  override get message() {
    return "Cannot unwrap the key: it was wrapped with another master key, or for another workspace"
  }
}

/** The context that a wrapping is bound to. It unwraps for nothing else. */
export interface Bound {
  readonly owner: Owner
  readonly version: number
}

/**
 * Makes keys, and wraps them with the master keys that this process was given: the present one, and while they are
 * being exchanged the one before. Keys are 64 lower-case hexadecimal digits.
 */
export class KeyWrapping extends Context.Service<
  KeyWrapping,
  {
    readonly make: Effect.Effect<Redacted.Redacted<string>>
    /** The id of the present master key. An id distinguishes master keys, and reveals nothing else about them. */
    readonly present: string
    /** The id of the master key before, if this process was given it. */
    readonly previous: string | null
    /** Wraps under the master key of an id, which must be one of this process. */
    readonly wrap: (bound: Bound, key: Redacted.Redacted<string>, under: string) => Effect.Effect<string>
    /** The key, and the id of the master key that it is under. */
    readonly unwrap: (
      kept: Bound & Pick<WrappedKey, "wrapped" | "under">
    ) => Effect.Effect<{ readonly key: Redacted.Redacted<string>; readonly under: string }, CannotUnwrap>
  }
>()("sluice/core/vault/keys/KeyWrapping") {}
