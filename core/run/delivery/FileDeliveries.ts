/**
 * The store of deliveries of files, and the queue of those that are due.
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkspaceId } from "../../workspace/Ids.ts"
import type { FileDelivery, FileDeliveryNotFailed, FileDeliveryNotFound, FileDeliveryStatus } from "./FileDelivery.ts"

/** Which deliveries to list: newest first, each field a condition, none meaning all. */
export interface FileDeliveryFilter {
  readonly status?: FileDeliveryStatus
  readonly runId?: RunId
  /** Made strictly before the one at this position. */
  readonly before?: number
  readonly limit: number
}

/** A delivery in the list. Positions grow with every delivery that is made. */
export interface ListedDelivery {
  readonly position: number
  readonly delivery: FileDelivery
}

/** A delivery that this process attempts. `turn` grows with each hand-out and each change. */
export interface TakenDelivery {
  readonly turn: number
  readonly delivery: FileDelivery
}

export class FileDeliveries extends Context.Service<
  FileDeliveries,
  {
    /**
     * Adds deliveries. Within a transaction of the same store they are stored exactly when it commits. A file of a run that
     * has a delivery keeps that one.
     */
    readonly append: (made: ReadonlyArray<FileDelivery>) => Effect.Effect<void, StoreUnavailable>

    /** Takes the delivery that has been due for longest at `now`. No other process gets it before `until`. */
    readonly take: (now: number, until: number) => Effect.Effect<Option.Option<TakenDelivery>, StoreUnavailable>

    /** When the next delivery can be taken, which may be past; `null` where none is to be made. */
    readonly nextDue: Effect.Effect<number | null, StoreUnavailable>

    /** Stores the result of an attempt. It is dropped when the delivery was taken again or changed in between. */
    readonly settle: (taken: TakenDelivery, after: FileDelivery) => Effect.Effect<void, StoreUnavailable>

    readonly list: (
      workspaceId: WorkspaceId,
      filter: FileDeliveryFilter
    ) => Effect.Effect<ReadonlyArray<ListedDelivery>, StoreUnavailable>

    /** All deliveries of a run, in the order in which they were made. */
    readonly ofRun: (
      workspaceId: WorkspaceId,
      runId: RunId
    ) => Effect.Effect<ReadonlyArray<FileDelivery>, StoreUnavailable>

    /** Tries a failed delivery again, as `FileDelivery.retry` decides, and returns its new state. */
    readonly retry: (
      workspaceId: WorkspaceId,
      id: string,
      now: number
    ) => Effect.Effect<FileDelivery, FileDeliveryNotFound | FileDeliveryNotFailed | StoreUnavailable>
  }
>()("sluice/core/run/delivery/FileDeliveries") {}
