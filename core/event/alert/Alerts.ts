/**
 * The store of alerts, and the queue of those that are due.
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Alert, AlertStatus } from "./Alert.ts"

/** Which alerts to list: newest first, each field a condition, none meaning all. */
export interface AlertFilter {
  readonly status?: AlertStatus
  readonly receiverId?: string
  /** Made strictly before the one at this position. */
  readonly before?: number
  readonly limit: number
}

/** An alert in the list. Positions grow with every alert that is made. */
export interface ListedAlert {
  readonly position: number
  readonly alert: Alert
}

/** An alert that this process sends. `turn` grows with each hand-out and each change. */
export interface TakenAlert {
  readonly turn: number
  readonly alert: Alert
}

export class Alerts extends Context.Service<
  Alerts,
  {
    /**
     * Passes the latest alert of a receiver and a cause to `decide`, and stores the answer: in its place where the id is
     * the same, as a new one otherwise. Within a transaction of the same store it is stored exactly when that commits. No
     * alert is handed out between the two. `decide` must be pure.
     */
    readonly gather: (
      receiverId: string,
      cause: string,
      decide: (latest: Alert | null) => Alert
    ) => Effect.Effect<void, StoreUnavailable>

    /** Takes the alert that has been due for longest at `now`, as `Alert.taken`. No other process gets it before `until`. */
    readonly take: (now: number, until: number) => Effect.Effect<Option.Option<TakenAlert>, StoreUnavailable>

    /** When the next alert can be taken, which may be past; `null` where none is to be sent. */
    readonly nextDue: Effect.Effect<number | null, StoreUnavailable>

    /** Stores the result of an attempt. It is dropped when the alert was taken again in between. */
    readonly settle: (taken: TakenAlert, after: Alert) => Effect.Effect<void, StoreUnavailable>

    readonly list: (
      workspaceId: WorkspaceId,
      filter: AlertFilter
    ) => Effect.Effect<ReadonlyArray<ListedAlert>, StoreUnavailable>

    /** Removes the alerts that were settled before an instant. */
    readonly tidy: (before: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/event/alert/Alerts") {}
