/**
 * One-time codes and links that arrived for credentials, kept until they are used or too old. They are kept sealed.
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"

export interface ReceivedCode {
  readonly id: string
  /**
   * The kind of value: digits or letters to type, an address to open, or what may be a code, which no login takes by
   * itself.
   */
  readonly kind: "code" | "link" | "uncertain_code"
  /** The mail address, or the phone number in its form `+15551234567`, that it was sent to. */
  readonly address: string
  /** The value, sealed with the key of the workspace. */
  readonly sealed: string
  readonly receivedAt: number
  /** The verdict about the sender of a mail, such as `spf=pass dkim=fail`; absent where nothing was. */
  readonly authentication?: string
}

/**
 * Whether the sender of a code is known not to be who the mail says, or cannot be known: neither SPF nor DKIM has passed. A
 * code without a verdict came another way than by mail.
 */
export const isUnproven = ({ authentication }: Pick<ReceivedCode, "authentication">): boolean =>
  authentication !== undefined && !authentication.includes("=pass")

/** The requested value: of which kind, and not from before which instant. */
export interface CodeQuery {
  readonly kind: ReceivedCode["kind"]
  readonly since: number
}

/** A message that is kept only once. */
export interface RecentMessage {
  /** Of any length. */
  readonly id: string
  /** Until when it is remembered, as an epoch instant in milliseconds. */
  readonly until: number
}

/** Addresses are equal regardless of case, because mail programs change it. */
export class ReceivedCodes extends Context.Service<
  ReceivedCodes,
  {
    readonly keep: (workspaceId: WorkspaceId, code: ReceivedCode) => Effect.Effect<void, StoreUnavailable>

    /**
     * Stores all values of a message in one step, or none, and remembers the message. A message that is remembered
     * already changes nothing, and the answer is false. Of several calls for one message at once, one keeps it.
     */
    readonly keepOnce: (
      message: RecentMessage,
      codes: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly code: ReceivedCode }>
    ) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Forgets the messages that were to be remembered until an instant before `now`, and beyond `most` those that would be
     * forgotten first. Returns how many were forgotten: each would be kept again.
     */
    readonly forgetMessages: (limits: {
      readonly now: number
      readonly most: number
    }) => Effect.Effect<number, StoreUnavailable>

    /**
     * The last arrival of a kind at an address, if it arrived at `since` or later: one of a sender that is not unproven
     * (`isUnproven`) where there is one. It stays.
     */
    readonly latest: (
      workspaceId: WorkspaceId,
      address: string,
      wanted: CodeQuery
    ) => Effect.Effect<Option.Option<ReceivedCode>, StoreUnavailable>

    /**
     * Takes what `latest` would answer, and removes it together with all of its kind that arrived at the address
     * before, which it replaces, and with all of unproven senders where its own is not: of several who take at once, one gets it, and the others nothing.
     */
    readonly take: (
      workspaceId: WorkspaceId,
      address: string,
      wanted: CodeQuery
    ) => Effect.Effect<Option.Option<ReceivedCode>, StoreUnavailable>

    /** Removes the codes of all workspaces that arrived before an instant, and returns how many there were. */
    readonly discardBefore: (at: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/vault/inbox/ReceivedCodes") {}
