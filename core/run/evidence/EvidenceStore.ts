/**
 * The store of the evidence of a run, apart from its events: the snapshots of its pages, and the network requests of
 * its pages. Evidence is never sent; callers request it.
 */
import { Context, type Effect, type Option } from "effect"
import type { RecordedExchange } from "../../browser/Exchange.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { NodeId } from "../../workflow/language/graph/Graph.ts"
import type { RunId } from "../../workspace/Ids.ts"

/** A snapshot of the page as a node began; its document is the artifact. */
export interface Snapshot {
  readonly runId: RunId
  readonly nodeId: NodeId
  readonly artifactId: string
  readonly at: number
}

/** The replay record of a run is stored as a snapshot at this place, which is no node. */
export const replayRecordPlace: NodeId = "00000000-0000-0000-0000-000000000000"

/** The network log of a run so far. */
export interface NetworkLog {
  /** By the instant at which they began. */
  readonly events: ReadonlyArray<RecordedExchange>
  /** An attempt is writing it. */
  readonly open: boolean
  /** Something was left out: over the bounds, or lost with a worker. */
  readonly truncated: boolean
}

/** The rest of the bounds after the attempts before. */
export interface Room {
  readonly events: number
  readonly bodyCharacters: number
}

/** How much of the network is kept of one run, over all its attempts. */
export const bounds: Room = { events: 2_000, bodyCharacters: 2_097_152 }

export class EvidenceStore extends Context.Service<
  EvidenceStore,
  {
    /** Stores a snapshot. Of several for one node, the last one is kept. */
    readonly keepSnapshot: (snapshot: Snapshot) => Effect.Effect<void, StoreUnavailable>

    readonly snapshot: (runId: RunId, nodeId: NodeId) => Effect.Effect<Option.Option<Snapshot>, StoreUnavailable>

    /**
     * Opens the network log for an attempt, and answers how much may still be kept. A log that is open already lost the
     * end of the attempt before, and is marked as truncated.
     */
    readonly openLog: (runId: RunId) => Effect.Effect<Room, StoreUnavailable>

    /** Adds to the log, whose ids must be new to it. */
    readonly log: (runId: RunId, events: ReadonlyArray<RecordedExchange>) => Effect.Effect<void, StoreUnavailable>

    /** Closes the log: what the attempt had to write is written, apart from what was left out when `truncated`. */
    readonly closeLog: (runId: RunId, truncated: boolean) => Effect.Effect<void, StoreUnavailable>

    /** The log of a run; none when no attempt ever opened it. */
    readonly network: (runId: RunId) => Effect.Effect<Option.Option<NetworkLog>, StoreUnavailable>

    /**
     * Removes at most `limit` snapshots and as many entries of network logs that are older than an instant, and answers how
     * many it removed of what it removed more of. The logs are marked as truncated.
     */
    readonly expire: (before: number, limit: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sluice/core/run/evidence/EvidenceStore") {}

/** The rest of the bounds beside these events. */
export const roomBeside = (events: ReadonlyArray<RecordedExchange>): Room => ({
  events: Math.max(bounds.events - events.length, 0),
  bodyCharacters: Math.max(
    bounds.bodyCharacters - events.reduce((sum, { responseBody }) => sum + (responseBody?.length ?? 0), 0),
    0
  )
})
