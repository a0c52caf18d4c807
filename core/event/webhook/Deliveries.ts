/**
 * The store of deliveries, and the queue of those that are due.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Entry } from "../EventLog.ts"
import type { Delivery, DeliveryNotDead, DeliveryNotFound, Status } from "./Delivery.ts"

/** A delivery to be made: an event, and where it goes. */
export interface NewDelivery {
  readonly id: string
  readonly entry: Entry
  readonly webhookId: string | null
  readonly url: string
}

/** Which deliveries to list: newest first, each field a condition, none meaning all. */
export interface Filter {
  readonly status?: Status
  readonly runId?: string
  /** To this registered webhook. */
  readonly webhookId?: string
  /** Made strictly before the one at this position. */
  readonly before?: number
  readonly limit: number
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Creates deliveries, in the order of their events. Within a transaction of the same store they are stored exactly when
     * it commits. One is due at once when the delivery of the event before it, of the same run to the same target, has had its
     * first attempt, and otherwise as soon as that has.
     */
    readonly append: (made: ReadonlyArray<NewDelivery>) => Effect.Effect<void, StoreUnavailable>

    /**
     * Waits for a due delivery, passes it to `attempt`, and stores the result. Deliveries are attempted at least once:
     * if the process dies during the attempt, another process gets the delivery within a minute. The result for a
     * delivery that was changed or handed out again in between is dropped.
     */
    readonly next: <R>(
      attempt: (delivery: Delivery) => Effect.Effect<Delivery, StoreUnavailable, R>
    ) => Effect.Effect<void, StoreUnavailable, R>

    /** How many deliveries are due and wait for an attempt, counted up to `most`. */
    readonly due: (most: number) => Effect.Effect<number, StoreUnavailable>

    readonly get: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Delivery, DeliveryNotFound | StoreUnavailable>

    readonly list: (
      workspaceId: WorkspaceId,
      filter: Filter
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>

    /** All deliveries of a run, oldest first. */
    readonly ofRun: (
      workspaceId: WorkspaceId,
      runId: string
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>

    /** Retries a dead delivery, as `Delivery.retry` decides, and returns its new state. */
    readonly retry: (
      workspaceId: WorkspaceId,
      id: string
    ) => Effect.Effect<Delivery, DeliveryNotFound | DeliveryNotDead | StoreUnavailable>

    /** Removes queue entries that were settled long ago. It only frees space: no delivery is lost. */
    readonly tidy: Effect.Effect<void, StoreUnavailable>

    /** Records that the receiver accepted a delivery that was sent by other means. A delivered one is not changed. */
    readonly delivered: (
      workspaceId: WorkspaceId,
      id: string,
      attempt: { readonly responseStatus: number; readonly durationMillis: number }
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/event/webhook/Deliveries") {}
