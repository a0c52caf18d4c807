/**
 * The store of viewers of a run, and of the control of its browser.
 */
import { Context, type Effect, type Option } from "effect"
import type { Status } from "../../run/Run.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, UserId, WorkspaceId } from "../../workspace/Ids.ts"

/** An admission, stored by the hash of its token only. */
export interface Admission {
  readonly hash: string
  readonly runId: RunId
  /** The API key that issued the token; `null` allows watching only. */
  readonly keyId: string | null
  /** The user who may also take control; `null` for a viewer who may only watch. */
  readonly userId: UserId | null
  readonly expiresAt: number
}

/** Control of the browser of a run, held by one page of the live view. */
export interface Control {
  readonly runId: RunId
  /** The unique name of the page. */
  readonly holder: string
  readonly userId: UserId
  readonly since: number
  readonly until: number
}

/** The workspace of a run, and its status. */
export interface LiveRunState {
  readonly workspaceId: WorkspaceId
  readonly status: Status
}

export class LiveStore extends Context.Service<
  LiveStore,
  {
    /** Stores an admission, and removes expired ones. */
    readonly admit: (admission: Admission) => Effect.Effect<void, StoreUnavailable>

    /** Redeems a token by its hash, once. None if unknown, used or expired. */
    readonly redeem: (hash: string) => Effect.Effect<Option.Option<Admission>, StoreUnavailable>

    /** The present state of a run of any workspace, without its large fields; none if it does not exist. */
    readonly standing: (runId: RunId) => Effect.Effect<Option.Option<LiveRunState>, StoreUnavailable>

    /**
     * Gives control, or extends it for its holder, and returns the holder: another page, if it still has control.
     */
    readonly take: (control: Omit<Control, "since">) => Effect.Effect<Control, StoreUnavailable>

    /**
     * Extends control, if this holder still has it, and returns whether it had. It never takes it, so that a renewal
     * that arrives after the release changes nothing.
     */
    readonly renew: (runId: RunId, holder: string, until: number) => Effect.Effect<boolean, StoreUnavailable>

    /** Releases control, if this holder has it; returns whether it had. */
    readonly release: (runId: RunId, holder: string) => Effect.Effect<boolean, StoreUnavailable>

    /** The present holder of control. */
    readonly control: (runId: RunId) => Effect.Effect<Option.Option<Control>, StoreUnavailable>
  }
>()("sluice/core/execution/live/LiveStore") {}
