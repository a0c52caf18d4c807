/**
 * The store of gates. A gate is the one thing on which submissions, edits and claims of a workflow serialise.
 */
import type { Effect, Result } from "effect"
import { Context } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { ValidRunWindow } from "../window/RunWindow.ts"
import type { RunId, WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import type { Queue } from "./Forecast.ts"
import type { Gate } from "./Gate.ts"

/**
 * A changed gate: its states before and after the decision, the instant at which it was made, and the name of its workflow
 * then.
 */
export interface GateChange {
  readonly workflowName: string
  readonly before: Gate
  readonly after: Gate
  readonly at: number
}

/** The highest number that waiting runs are counted to, but for those of `changeAndCount`: the count costs the same however many more wait. */
export const mostCounted = 1_000

/** A number of runs, counted up to `mostCounted`. With `atLeast`, there are more. */
export interface RunCount {
  readonly runs: number
  readonly atLeast: boolean
}

/** The count that `found` runs make, of which at most `mostCounted + 1` were looked for. */
export const countOf = (found: number): RunCount => ({
  runs: Math.min(found, mostCounted),
  atLeast: found > mostCounted
})

/** How many of the latest runs that succeeded a queue takes its mean duration from. */
export const durationsMeasured = 100

export const noRuns: RunCount = { runs: 0, atLeast: false }

/** A run that waits, held or not. */
export interface Waiting {
  readonly id: RunId
  /** When it was submitted. */
  readonly createdAt: number
}

/** A window that a workflow had. */
export interface PastWindow {
  readonly revision: number
  /** `null` where the window was removed. */
  readonly window: ValidRunWindow | null
  readonly setAt: number | null
  readonly setBy: string | null
}

/** A workflow whose next opening or closing newer time zone data have at another instant than older data had. */
export interface MovedOpening {
  readonly workflowId: WorkflowId
  readonly name: string
  /** When that was found, in epoch milliseconds. */
  readonly at: number
  /** The version of the older data. */
  readonly from: string
}

/** A decision about a gate. It must be pure: it may be called again. */
export type Decide<E> = (gate: Gate, now: number) => Result.Result<Gate, E>

export class GateStore extends Context.Service<
  GateStore,
  {
    /** The gate of a workflow of this workspace. */
    readonly get: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId
    ) => Effect.Effect<Gate, WorkflowNotFound | StoreUnavailable>

    /** The windows that a workflow had, newest first: at most `limit` with a revision below `before`. */
    readonly windows: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      page: { readonly before: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PastWindow>, WorkflowNotFound | StoreUnavailable>

    /** How many runs of the workflow are waiting, held or not. Counted up to `mostCounted`, not estimated. */
    readonly countWaiting: (workflowId: WorkflowId) => Effect.Effect<RunCount, StoreUnavailable>

    /** The waiting runs of the workflow, at most `limit`, those that were submitted first before others. */
    readonly firstWaiting: (
      workflowId: WorkflowId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Waiting>, StoreUnavailable>

    /** The queue of a workflow, as a forecast needs it, seen from one of its waiting runs if that is given. */
    readonly queue: (workflowId: WorkflowId, of?: RunId) => Effect.Effect<Queue, StoreUnavailable>

    /** Workflows of a workspace, or those of them that are named, that have a pace and waiting runs: at most `limit`. */
    readonly paced: (
      workspaceId: WorkspaceId,
      workflowIds: ReadonlyArray<WorkflowId> | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly workflowId: WorkflowId; readonly gate: Gate }>, StoreUnavailable>

    /**
     * Changes one gate by a decision made under a lock: meanwhile the gate cannot change, and no run of the workflow
     * can start or be submitted.
     *
     * `now` is read under that lock. Once the effect has succeeded, runs start only as `after` allows: every claim
     * either started its runs before, or sees the new gate. A decision that fails changes nothing. The cost does not
     * depend on how many runs wait.
     */
    readonly change: <E>(
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      decide: Decide<E>
    ) => Effect.Effect<GateChange, E | WorkflowNotFound | StoreUnavailable>

    /**
     * Like `change`, and also counts the waiting runs of the workflow while it cannot start any, if `isCounted` says so of
     * the change; 0 otherwise. All are counted, in time that grows with their number. One that takes longer than the store
     * allows a statement fails with `StoreUnavailable`, and then nothing is changed.
     */
    readonly changeAndCount: <E>(
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      decide: Decide<E>,
      isCounted: (change: GateChange) => boolean
    ) => Effect.Effect<GateChange & { readonly waiting: number }, E | WorkflowNotFound | StoreUnavailable>

    /**
     * Looks again at the gates whose stored interval has ended, or was computed with older time zone data, at most `limit`
     * of them, and answers how many they were.
     *
     * Any number of processes may do this at once: each gate is reviewed by one of them. Not doing it makes runs wait
     * longer; it never lets one start while a hold is in force.
     */
    readonly review: (limit: number) => Effect.Effect<number, StoreUnavailable>

    /**
     * The workflows of a workspace whose openings a review moved at `since` or later, the latest first, at most `limit`. One
     * whose window was set since then is not among them, and no deleted one.
     */
    readonly moved: (
      workspaceId: WorkspaceId,
      since: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MovedOpening>, StoreUnavailable>

    /**
     * The first instant, past ones included, at which a gate needs a review, or after `after` at which one, or its pace,
     * begins to let waiting runs start; `null` when there is none.
     */
    readonly nextDue: (after: number) => Effect.Effect<number | null, StoreUnavailable>
  }
>()("sluice/core/gate/GateStore") {}
