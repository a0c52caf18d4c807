/**
 * One-time codes and links that arrived for credentials, kept until they are used or too old. They are kept sealed.
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as MailVerdict from "./MailVerdict.ts"

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
  /** The verdict about the sender of a mail, as `MailVerdict` writes it; absent where a message came another way. */
  readonly authentication?: string
}

/** The requested value: of which kind, not from before which instant, and of whom. */
export interface CodeQuery {
  readonly kind: ReceivedCode["kind"]
  readonly since: number
  /** The registrable domains whose mails are expected. What one of them vouches for is preferred to all else. */
  readonly senders: ReadonlyArray<string>
}

/**
 * What a query gives of all that arrived of its kind at an address, the newest first: the newest fresh one of the best rank of
 * `MailVerdict`. With it go the `replaced`: itself, what arrived before it, and what has a worse rank. `null` where none is fresh.
 */
export const choose = (
  arrived: ReadonlyArray<ReceivedCode>,
  { senders, since }: Pick<CodeQuery, "senders" | "since">
): { readonly taken: ReceivedCode; readonly replaced: ReadonlyArray<ReceivedCode> } | null => {
  const ranked = arrived.map((code) => ({ code, rank: MailVerdict.rank(code.authentication, senders) }))
  const fresh = ranked.filter(({ code }) => code.receivedAt >= since)
  const best = Math.min(...fresh.map(({ rank }) => rank))
  const taken = fresh.find(({ rank }) => rank === best)
  if (taken === undefined) return null
  const at = ranked.indexOf(taken)
  const replaced = ranked.filter(({ rank }, index) => index >= at || rank > best).map(({ code }) => code)
  return { taken: taken.code, replaced }
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
     * What `choose` takes of a kind at an address. It stays.
     */
    readonly latest: (
      workspaceId: WorkspaceId,
      address: string,
      wanted: CodeQuery
    ) => Effect.Effect<Option.Option<ReceivedCode>, StoreUnavailable>

    /**
     * Takes what `latest` would answer, and removes all that `choose` says it replaces: of several who take at once, one
     * gets it, and the others nothing.
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
