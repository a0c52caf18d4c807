/**
 * Things of one kind that a workspace keeps: each under an id, and known by a key that no other of the kind has there.
 *
 * Each kind that needs nothing more from a store is a separate service of this shape, such as the error codes and the
 * webhooks. Records of another workspace appear as absent.
 */
import { type Effect, type Option, type Result, Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "./Ids.ts"

/** Each record has an id, a UUID, that never changes. */
export interface Kept {
  readonly id: string
}

/** Raised by a change that would give two things of one kind the same key. `key` is the key that is taken. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", { key: Schema.String }) {
  override get message() {
    return `"${this.key}" is taken already in this workspace`
  }
}

export interface Collection<A extends Kept> {
  /** All of them, in the order in which they were inserted. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>

  /**
   * Up to `limit` of them after a position in some fixed order (`null`: from the first), and the position to continue
   * from; `null` when these were the last.
   */
  readonly page: (
    workspaceId: WorkspaceId,
    after: string | null,
    limit: number
  ) => Effect.Effect<{ readonly values: ReadonlyArray<A>; readonly next: string | null }, StoreUnavailable>

  /** How many there are after a position of `page`. */
  readonly left: (workspaceId: WorkspaceId, after: string | null) => Effect.Effect<number, StoreUnavailable>

  readonly get: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Option.Option<A>, StoreUnavailable>

  /** The one with this key. */
  readonly find: (workspaceId: WorkspaceId, key: string) => Effect.Effect<Option.Option<A>, StoreUnavailable>

  readonly insert: (workspaceId: WorkspaceId, value: A) => Effect.Effect<void, KeyTaken | StoreUnavailable>

  /**
   * Changes one item by a decision made while the item is locked, and returns the new item; none if it does not exist.
   * A decision that fails changes nothing. It must be pure, because it may be called again.
   */
  readonly change: <E>(
    workspaceId: WorkspaceId,
    id: string,
    decide: (before: A) => Result.Result<A, E>
  ) => Effect.Effect<Option.Option<A>, E | KeyTaken | StoreUnavailable>

  /** Removes one and answers what it was; none when there was no such thing. */
  readonly remove: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Option.Option<A>, StoreUnavailable>
}

/** A kind: its name (lower case and underscores), how one of it is written as JSON, and what it is known by. */
export interface Kind<A extends Kept> {
  readonly name: string
  readonly schema: Schema.Codec<A, unknown>
  readonly key: (value: A) => string
}
