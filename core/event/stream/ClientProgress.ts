/**
 * The progress of the events of runs on the streams of the clients that started them.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Entry } from "../EventLog.ts"

/** The events of one run up to `sequence` were written; with `last`, no further event follows. */
export interface WrittenEvents {
  readonly runId: string
  readonly sequence: number
  readonly last: boolean
}

export class ClientProgress extends Context.Service<
  ClientProgress,
  {
    /**
     * One page of the events of the runs of this client that were not written to a stream yet, by their sequence and from
     * the one after `after` (0 for the first page); none when there are no more.
     *
     * Events of a run that ended before `since`, an epoch instant in milliseconds, are no longer pending.
     */
    readonly owed: (
      workspaceId: WorkspaceId,
      clientId: string,
      since: number,
      after: number
    ) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>

    /** Remembers what was written. Stored progress of a run is never reduced. */
    readonly written: (progress: ReadonlyArray<WrittenEvents>) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/event/stream/ClientProgress") {}
