/**
 * The store of conversations, with their messages and the views of their pages; hosts claim conversations here.
 */
import { Context, type Effect, type Option, type Result, Schema } from "effect"
import { Targets } from "../browser/vision/Targets.ts"
import type { Turns } from "../runtime/Shares.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import type { Change, Conversation, ConversationId, ConversationNotFound, HostLost } from "./Conversation.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"

/** Raised when a workspace has the maximum number of open conversations. */
export class TooManyConversations extends Schema.TaggedError<TooManyConversations>()("TooManyConversations", {
  limit: Schema.Int
}) {
  override get message() {
    return `Cannot open another conversation: this workspace has ${this.limit} open, the most that it may have; end one of them`
  }
}

/** A lease of a host. */
export interface LeaseRef {
  readonly id: ConversationId
  readonly fence: number
}

/** The kinds of views of a page: a screenshot, its document, or the elements in a screenshot that can be pointed at. */
export const viewKinds = ["screenshot", "html", "elements"] as const
export type ViewKind = (typeof viewKinds)[number]

/** A view of the page: a JPEG in base64, a document, or the JSON text of a `PointedPage`. */
export interface View {
  readonly url: string
  readonly body: string
}

/** The elements in a screenshot that can be pointed at, with the screenshot as JPEG in base64. */
export const PointedPage = Schema.Struct({ ...Targets.fields, base64: Schema.String })
export type PointedPage = typeof PointedPage.Type

export class BuilderStore extends Context.Service<
  BuilderStore,
  {
    /** Stores a new conversation, unless its workspace has `limit` conversations that have not ended. */
    readonly open: (change: Change, limit: number) => Effect.Effect<void, TooManyConversations | StoreUnavailable>

    readonly get: (
      workspaceId: WorkspaceId,
      id: ConversationId
    ) => Effect.Effect<Conversation, ConversationNotFound | StoreUnavailable>

    /** The conversations of a workspace that were not ended, newest first. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Conversation>, StoreUnavailable>

    /**
     * Changes a conversation by a decision made while it is locked. A decision that fails changes nothing. It must be
     * pure, because it may be called again.
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
     * Leases up to `limit` conversations that need a host to `host`, the longest waiting first. Each lease has a higher
     * fence than all earlier ones. With `turns`, none is taken of the workspaces that are full, and one of each other
     * workspace, in the order of the turns, comes before a second one of any.
     */
    readonly claim: (options: {
      readonly host: string
      readonly limit: number
      readonly leaseMillis: number
      readonly turns?: Turns
    }) => Effect.Effect<ReadonlyArray<Conversation>, StoreUnavailable>

    /** Whether a conversation of a workspace that is not among these waits for a host. */
    readonly isAwaited: (full: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>

    /** Renews leases and returns those that were lost: expired and taken over, or released. */
    readonly renew: (
      leases: ReadonlyArray<LeaseRef>,
      leaseMillis: number
    ) => Effect.Effect<ReadonlyArray<LeaseRef>, StoreUnavailable>

    /** The conversation of a lease, if the lease is still valid. */
    readonly leased: (lease: LeaseRef) => Effect.Effect<Conversation, HostLost | StoreUnavailable>

    /** Like `change`, for the host of the conversation. */
    readonly settle: <E>(
      lease: LeaseRef,
      decide: (before: Conversation, now: number) => Result.Result<Change, E>
    ) => Effect.Effect<Conversation, E | HostLost | StoreUnavailable>

    /** Requests a view of the page from the host, and returns the number of the request. Later numbers are higher. */
    readonly want: (id: ConversationId, kind: ViewKind) => Effect.Effect<number, StoreUnavailable>

    /** The open requests for views, with the highest number of each kind. */
    readonly wanted: (
      id: ConversationId
    ) => Effect.Effect<ReadonlyArray<{ readonly kind: ViewKind; readonly number: number }>, StoreUnavailable>

    /** Stores a view; `null` if the page could not be read. It answers all requests of its kind up to its number. */
    readonly show: (
      id: ConversationId,
      kind: ViewKind,
      number: number,
      view: View | null
    ) => Effect.Effect<void, StoreUnavailable>

    /** The view for the request with this number, or a later one; none while it is open. */
    readonly seen: (
      id: ConversationId,
      kind: ViewKind,
      number: number
    ) => Effect.Effect<Option.Option<View | null>, StoreUnavailable>

    /** Removes the views of a conversation. */
    readonly forget: (id: ConversationId) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/builder/BuilderStore") {}
