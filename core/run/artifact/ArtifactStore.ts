/**
 * The owners, sizes and ages of stored artifacts: what bounds and retention go by.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"

export const Kind = Schema.Literals(["screenshot", "snapshot", "video", "file"])
export type Kind = typeof Kind.Type

/** An artifact that is about to be uploaded. */
export interface StartedUpload {
  readonly id: string
  readonly runId: RunId
  readonly workflowId: WorkflowId
  readonly kind: Kind
  readonly at: number
}

/** What an artifact belongs to. */
export interface ArtifactOwner {
  readonly workspaceId: WorkspaceId
  readonly runId: RunId
  readonly kind: Kind
}

/** The stored totals of a run. */
export interface ArtifactUsage {
  readonly bytes: number
  readonly count: Readonly<Record<Kind, number>>
}

export const nothing: ArtifactUsage = { bytes: 0, count: { screenshot: 0, snapshot: 0, video: 0, file: 0 } }

/** The artifacts of a run for its record, apart from events. */
export interface Summary {
  /** The videos that are there, oldest first, each with the instant at which it was kept. */
  readonly videos: ReadonlyArray<{ readonly id: string; readonly at: number }>
  /** How many artifacts were left out: over the bounds, or because their store was away. */
  readonly leftOut: number
  /** When artifacts were last removed because their time was over; `null` when none were. */
  readonly removedAt: number | null
}

/** The artifacts to remove. */
export interface Expiry {
  /** Artifacts that are older than this instant go. */
  readonly before: number
  /** Uploads that began before this instant and never ended are removed, at any age. */
  readonly unfinishedBefore: number
}

/** How long a process has to remove the artifacts that it took, in milliseconds; then another process may take them. */
export const removalMillis = 600_000

export class ArtifactStore extends Context.Service<
  ArtifactStore,
  {
    /** Records an artifact before its bytes are uploaded, so that no stored bytes are unknown. */
    readonly begin: (artifact: StartedUpload) => Effect.Effect<void, StoreUnavailable>

    /** Notes that an artifact is there, how large it is, and since when. */
    readonly finish: (id: string, bytes: number, at: number) => Effect.Effect<void, StoreUnavailable>

    /** What an artifact belongs to; none for an id that is not known. */
    readonly ownerOf: (id: string) => Effect.Effect<Option.Option<ArtifactOwner>, StoreUnavailable>

    /** Forgets an artifact whose upload failed. */
    readonly forget: (id: string) => Effect.Effect<void, StoreUnavailable>

    /** Counts an artifact that a run did without. */
    readonly leaveOut: (runId: RunId) => Effect.Effect<void, StoreUnavailable>

    readonly used: (runId: RunId) => Effect.Effect<ArtifactUsage, StoreUnavailable>

    /** How many bytes the artifacts of a workspace have. */
    readonly usedBy: (workspaceId: WorkspaceId) => Effect.Effect<number, StoreUnavailable>

    readonly summary: (runId: RunId) => Effect.Effect<Summary, StoreUnavailable>

    /**
     * Takes at most `limit` artifacts whose removal is due, those of deleted workflows included. No other process
     * gets them for ten minutes.
     */
    readonly takeExpired: (expiry: Expiry, limit: number) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>

    /** Forgets artifacts whose bytes are removed, and the snapshots that they were. Their runs then say so. */
    readonly removed: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/run/artifact/ArtifactStore") {}
