/**
 * Codes that arrived for credentials, kept until they are used or too old. A code is kept sealed.
 */
import { Context, type Effect, type Option } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface ReceivedCode {
  readonly id: string
  /** The address that it was sent to. */
  readonly address: string
  /** The code, sealed with the key of the workspace. */
  readonly sealed: string
  readonly receivedAt: number
}

/** Addresses are the same whatever their case, as mail programs change it. */
export class ReceivedCodes extends Context.Service<
  ReceivedCodes,
  {
    readonly keep: (workspaceId: WorkspaceId, code: ReceivedCode) => Effect.Effect<void>

    /** The code that arrived last at an address, if it arrived at `since` or later. */
    readonly latest: (
      workspaceId: WorkspaceId,
      address: string,
      since: number
    ) => Effect.Effect<Option.Option<ReceivedCode>>

    /** Removes a code that was used, and tells whether it was still there: of several who use it, one is told so. */
    readonly discard: (workspaceId: WorkspaceId, id: string) => Effect.Effect<boolean>

    /** Removes the codes of all workspaces that arrived before an instant, and tells how many there were. */
    readonly discardBefore: (at: number) => Effect.Effect<number>
  }
>()("sluice/core/tfa/ReceivedCodes") {}
