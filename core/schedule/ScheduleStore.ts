/**
 * The store of schedules and their firings.
 */
import { Context, type Effect, type Result, Schema } from "effect"
import type { Gate } from "../gate/Gate.ts"
import type { GatedRun, VersionOutdated } from "../run/RunStore.ts"
import type { Submission } from "../run/Transition.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { FieldsTooLarge } from "../workflow/FieldLimit.ts"
import type { RunId, WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import type { Changed, Firing, FormerWindow, RunSchedule, ScheduleId, ScheduleNotFound } from "./RunSchedule.ts"

/** A schedule with the gate of its workflow. */
export interface GatedSchedule {
  readonly schedule: RunSchedule
  readonly gate: Gate
}

/** A schedule with the windows that its workflow had since it was last aimed, oldest first: none for most. */
export interface Decidable extends GatedSchedule {
  readonly former: ReadonlyArray<FormerWindow>
}

/** A schedule that must be examined, and its runs that have not ended. */
export interface Due extends Decidable {
  readonly open: ReadonlyArray<RunId>
}

/** Which schedules to list: oldest first, each field a condition, none meaning all. */
export interface Filter {
  readonly workflowId?: WorkflowId
  /** The id of the last schedule of the page before. */
  readonly after?: string
  readonly limit: number
}

/** Everything that one decision about a schedule changes. */
export interface Step {
  /** The schedule that the decision is about. */
  readonly before: RunSchedule
  readonly after: RunSchedule
  readonly firings: ReadonlyArray<Firing>
  /** The run that is submitted; it is among the runs of `after`. */
  readonly submission: Submission | null
  /** The runs that are stopped first, and why. */
  readonly replaces: ReadonlyArray<RunId>
  readonly why: string
}

/** Raised by a step of a schedule that was changed or removed since the decision. Nothing was changed. */
export class ScheduleOutdated extends Schema.TaggedError<ScheduleOutdated>()("ScheduleOutdated", {}) {}

export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /** Stores a new schedule. Deleting its workflow deletes it too. */
    readonly insert: (schedule: RunSchedule) => Effect.Effect<void, WorkflowNotFound | StoreUnavailable>

    /** A schedule of this workspace whose workflow exists. */
    readonly get: (
      workspaceId: WorkspaceId,
      id: ScheduleId
    ) => Effect.Effect<GatedSchedule, ScheduleNotFound | StoreUnavailable>

    /** Schedules whose workflows exist. */
    readonly list: (
      workspaceId: WorkspaceId,
      filter: Filter
    ) => Effect.Effect<ReadonlyArray<GatedSchedule>, StoreUnavailable>

    /**
     * Changes one schedule, and records firings, by a decision made while it is locked. It must be pure: it may be called
     * again.
     */
    readonly change: <E>(
      workspaceId: WorkspaceId,
      id: ScheduleId,
      decide: (placed: Decidable, now: number) => Result.Result<Changed, E>
    ) => Effect.Effect<GatedSchedule, E | ScheduleNotFound | StoreUnavailable>

    /** Removes a schedule with its firings, and keeps its runs. Returns the removed schedule. */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: ScheduleId
    ) => Effect.Effect<GatedSchedule, ScheduleNotFound | StoreUnavailable>

    /** The latest firings of a schedule, latest first. */
    readonly firings: (id: ScheduleId, limit: number) => Effect.Effect<ReadonlyArray<Firing>, StoreUnavailable>

    /**
     * Schedules that `RunSchedule.decide` has something to do about now, at most `limit`, those due first. The cost
     * depends on their number, not on the number of all schedules.
     */
    readonly due: (limit: number) => Effect.Effect<ReadonlyArray<Due>, StoreUnavailable>

    /**
     * Applies a step in one transaction: the schedule, its firings, the runs that it stops and the run that it submits
     * change together or not at all. Fails with `ScheduleOutdated` if the schedule has changed since the decision, so
     * that of several processes that decide at once only one takes effect. Firings older than 30 days are deleted.
     */
    readonly commit: (
      step: Step
    ) => Effect.Effect<
      GatedRun | null,
      ScheduleOutdated | WorkflowNotFound | VersionOutdated | FieldsTooLarge | StoreUnavailable
    >

    /**
     * The first instant, past ones included, at which a schedule is due, `null` when there is none; and whether firings
     * wait for the end of a run.
     */
    readonly nextDue: Effect.Effect<{ readonly at: number | null; readonly waits: boolean }, StoreUnavailable>
  }
>()("sluice/core/schedule/ScheduleStore") {}

/** How long firings are kept after they were decided, in milliseconds. */
export const keptMillis = 30 * 86_400_000
