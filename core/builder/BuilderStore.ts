/**
 * The store of conversations, with their messages and the views of their pages; hosts claim conversations here.
 */
import { Context, type Effect, type Option, type Result, Schema } from "effect"
import { Targets } from "../browser/vision/Targets.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import type { Change, Conversation, ConversationId, ConversationNotFound, HostLost } from "./Conversation.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"

/** Raised when a workspace has as many conversations open as it may have. */
export class TooManyConversations extends Schema.TaggedError<TooManyConversations>()("TooManyConversations", {
  limit: Schema.Int
}) {
  override get message() {
    return `Cannot open another conversation: this workspace has ${this.limit} open, the most that it may have; end one of them`
  }
}

/** A lease as its host names it. */
export interface LeaseRef {
  readonly id: ConversationId
  readonly fence: number
}

/** The ways in which a page is looked at: as a picture, as its document, or as what can be pointed at in its picture. */
export const viewKinds = ["screenshot", "html", "elements"] as const
export type ViewKind = (typeof viewKinds)[number]

/** A view of the page: a JPEG in base64, a document, or the JSON text of a `PointedPage`. */
export interface View {
  readonly url: string
  readonly body: string
}

/** What can be pointed at in a picture of the page, a JPEG in base64. */
export const PointedPage = Schema.Struct({ ...Targets.fields, base64: Schema.String })
export type PointedPage = typeof PointedPage.Type

export class BuilderStore extends Context.Service<
  BuilderStore,
  {
    /** Keeps a new conversation, unless its workspace has `limit` of them that have not ended. */
    readonly open: (change: Change, limit: number) => Effect.Effect<void, TooManyConversations | StoreUnavailable>

    readonly get: (
      workspaceId: WorkspaceId,
      id: ConversationId
    ) => Effect.Effect<Conversation, ConversationNotFound | StoreUnavailable>

    /** The conversations of a workspace that were not ended, the newest first. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Conversation>, StoreUnavailable>

    /**
     * Changes a conversation by a decision that is made under its lock. A decision that fails changes nothing. It must
     * be pure: it may be called again.
     */
    readonly change: <E>(
      workspaceId: WorkspaceId,
      id: ConversationId,
      decide: (before: Conversation, now: number) => Result.Result<Change, E>
    ) => Effect.Effect<Conversation, E | ConversationNotFound | StoreUnavailable>

    /** The messages with numbers from `from` to `to`, both included, in order. */
    readonly messages: (
      id: ConversationId,
      from: number,
      to: number
    ) => Effect.Effect<ReadonlyArray<ConversationMessage>, StoreUnavailable>

    readonly message: (
      id: ConversationId,
      messageId: string
    ) => Effect.Effect<Option.Option<ConversationMessage>, StoreUnavailable>

    /**
     * Gives up to `limit` conversations that need a host to `host`, those that wait longest first. Each gets a fence higher
     * than any it had before.
     */
    readonly claim: (options: {
      readonly host: string
      readonly limit: number
      readonly leaseMillis: number
    }) => Effect.Effect<ReadonlyArray<Conversation>, StoreUnavailable>

    /** Prolongs leases and answers which of them were lost: run out and taken over, or given back. */
    readonly renew: (
      leases: ReadonlyArray<LeaseRef>,
      leaseMillis: number
    ) => Effect.Effect<ReadonlyArray<LeaseRef>, StoreUnavailable>

    /** A conversation as its host sees it, if the lease is still its own. */
    readonly leased: (lease: LeaseRef) => Effect.Effect<Conversation, HostLost | StoreUnavailable>

    /** Like `change`, by its host. */
    readonly settle: <E>(
      lease: LeaseRef,
      decide: (before: Conversation, now: number) => Result.Result<Change, E>
    ) => Effect.Effect<Conversation, E | HostLost | StoreUnavailable>

    /** Asks the host for a look at the page, and answers the number of the look. Later numbers are higher. */
    readonly want: (id: ConversationId, kind: ViewKind) => Effect.Effect<number, StoreUnavailable>

    /** The looks that were asked for and not given yet, with the highest number of each kind. */
    readonly wanted: (
      id: ConversationId
    ) => Effect.Effect<ReadonlyArray<{ readonly kind: ViewKind; readonly number: number }>, StoreUnavailable>

    /** Gives a look; `null` when the page could not be looked at. Answers all of its kind up to its number. */
    readonly show: (
      id: ConversationId,
      kind: ViewKind,
      number: number,
      view: View | null
    ) => Effect.Effect<void, StoreUnavailable>

    /** The view of the request with this number, or of a later one; none while it was not given. */
    readonly seen: (
      id: ConversationId,
      kind: ViewKind,
      number: number
    ) => Effect.Effect<Option.Option<View | null>, StoreUnavailable>

    /** Forgets what was seen of a conversation. */
    readonly forget: (id: ConversationId) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/builder/BuilderStore") {}
