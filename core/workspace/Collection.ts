/**
 * Collections of records of one kind in a workspace. Each record has an id, and a key that is unique among the records
 * of its kind.
 *
 * Kinds that need no other store operations are services of this shape, such as error codes and webhooks. Records of
 * another workspace appear as absent.
 */
import { type Effect, type Option, type Result, Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "./Ids.ts"

/** Each record has an id, a UUID, that never changes. */
export interface CollectionRecord {
  readonly id: string
}

/** Raised by a change that would give two records of one kind the same `key`. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", { key: Schema.String }) {
  override get message() {
    return `"${this.key}" is taken already in this workspace`
  }
}

export interface Collection<A extends CollectionRecord> {
  /** All records, in the order of their insertion. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>

  /**
   * Up to `limit` records after a position in a fixed order (`null`: from the first), and the position to continue
   * from; `null` after the last record.
   */
  readonly page: (
    workspaceId: WorkspaceId,
    after: string | null,
    limit: number
  ) => Effect.Effect<{ readonly values: ReadonlyArray<A>; readonly next: string | null }, StoreUnavailable>

  /** The number of records after a position of `page`. */
  readonly left: (workspaceId: WorkspaceId, after: string | null) => Effect.Effect<number, StoreUnavailable>

  readonly get: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Option.Option<A>, StoreUnavailable>

  /** The record with this key. */
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

  /** Removes a record and returns it; none if it does not exist. */
  readonly remove: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Option.Option<A>, StoreUnavailable>
}

/** A kind of records: its name (lower case and underscores), its JSON form, and its key. */
export interface Kind<A extends CollectionRecord> {
  readonly name: string
  readonly schema: Schema.Codec<A, unknown>
  readonly key: (value: A) => string
}
