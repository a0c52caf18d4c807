/**
 * The store of runs and their events; workers claim runs here.
 */
import { Context, Effect, type Result, Schema } from "effect"
import type { LoggedEvent, RunEvent } from "../event/RunEvent.ts"
import type { RunFailure } from "../event/RunFailure.ts"
import type { Gate } from "../gate/Gate.ts"
import type { Turns } from "../runtime/Shares.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { FieldsTooLarge, FieldTooLarge } from "../workflow/FieldLimit.ts"
import type { WorkflowVersion } from "../workflow/Workflow.ts"
import type { RunId, RunNotFound, WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import type { HoldAnnouncement } from "./hold/HoldAnnouncement.ts"
import type { InProgress } from "./hold/PlaceLimit.ts"
import type { SpentLimit } from "./limit/NamedLimit.ts"
import type { HoldReason, RunFilter } from "./list/RunFilter.ts"
import type { LeaseLost, Progress, Retry, Run, RunEnded, RunningRun, Status, Terms, WaitingRun } from "./Run.ts"
import type { Awaited, FailedLogin } from "./Slots.ts"
import type { Change, LockedRun, Submission } from "./Transition.ts"

/** A run together with the gate of its workflow, both as of one instant. */
export interface GatedRun {
  readonly run: Run
  readonly gate: Gate
}

/** A run given to a worker, with the version of the workflow that it executes. */
export interface ClaimedRun {
  readonly run: RunningRun
  readonly version: WorkflowVersion
  /** Since when nothing held the run, its time to wait for a retry included. */
  readonly startableSince?: number
  /** The instant until which the pace of its workflow allows no further start. */
  readonly pacedUntil?: number
}

/** The identity of a lease. */
export interface LeaseRef {
  readonly id: RunId
  readonly fence: number
}

/** Which runs to list: newest first, each field a condition, none meaning all. Instants are epoch milliseconds. */
export interface Filter extends RunFilter {
  /**
   * Submitted strictly before an instant: the `createdAt` of the last run of the page before. With the id of that run,
   * the runs of the same instant that stand after it in the list are kept.
   */
  readonly before?: { readonly at: number; readonly id?: RunId }
  readonly limit: number
}

/** A listed run. `status` and `holds` are as they read at the instant of the listing. */
export type ListedRun = Pick<
  Run,
  "id" | "workspaceId" | "workflowId" | "createdAt" | "startedAt" | "endedAt" | "warningCount" | keyof Terms
> & {
  readonly status: Status
  readonly workflowName: string
  readonly holds: ReadonlyArray<HoldReason>
  /** The last failure of its attempts. */
  readonly error: RunFailure | null
}

/** A page of the list. `next` is the place behind it; `null` when nothing follows. */
export interface ListPage {
  readonly runs: ReadonlyArray<ListedRun>
  readonly next: { readonly at: number; readonly id: RunId } | null
}

/** How many runs satisfy a filter. Where it is not exact, there are at least so many. */
export interface Total {
  readonly count: number
  readonly isExact: boolean
}

/** How many runs satisfy a filter, in all and by what the filter leaves open. */
export interface Counts {
  readonly total: Total
  readonly statuses: ReadonlyArray<readonly [Status, Total]>
  readonly holds: ReadonlyArray<readonly [HoldReason, Total]>
}

/** The newest runs that satisfy a filter, up to `mostCounted` of them, counted by what they have. Most frequent first. */
export interface Tally {
  readonly runs: number
  /** No run was left out. */
  readonly isComplete: boolean
  readonly workflows: ReadonlyArray<{ readonly id: WorkflowId; readonly name: string; readonly count: number }>
  /** A run with several failures of one code counts once for that code. */
  readonly errorCodes: ReadonlyArray<ValueCount>
  readonly tags: ReadonlyArray<ValueCount>
}

/** How many runs have a value. */
export interface ValueCount {
  readonly value: string
  readonly count: number
}

/** How many workflows, error codes and tags a tally names. */
export const mostNamed = 100

/** The order of what a tally names. */
export const byCount = (
  a: { readonly count: number; readonly value: string },
  b: { readonly count: number; readonly value: string }
): number => b.count - a.count || (a.value < b.value ? -1 : 1)

/** The highest exact total. */
export const mostCounted = 10_000

/** A held run, the instant at which its gate opens, and how long before that its credentials are checked. */
export interface Opening {
  readonly run: WaitingRun
  readonly opensAt: number
  readonly leadMillis: number
}

/** The decision about a run; `change` is `null` where the run stays unchanged. */
export interface Decision {
  readonly change: Change | null
}

/** Raised when a run is submitted with a version that is not, or no longer, the latest one of its workflow. */
export class VersionOutdated extends Schema.TaggedError<VersionOutdated>()("VersionOutdated", {
  versionId: Schema.String
}) {
  override get message() {
    return `Cannot submit a run of version "${this.versionId}": it is not the latest one of its workflow`
  }
}

/** Raised when a run asks for a reference to itself that a run of its workspace has to itself already. */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("ReferenceTaken", {
  reference: Schema.String,
  sessionId: Schema.String
}) {
  override get message() {
    return `Cannot submit a second run with the reference "${this.reference}": run "${this.sessionId}" has it`
  }
}

/** Raised when a run is retried a second time without a reason. */
export class AlreadyRetried extends Schema.TaggedError<AlreadyRetried>()("AlreadyRetried", {
  sessionId: Schema.String,
  retriedAs: Schema.String
}) {
  override get message() {
    return `Cannot retry run "${this.sessionId}": run "${this.retriedAs}" retries it already`
  }
}

/** Stops a waiting run because of a failed login; `null` leaves it unchanged. */
export type StopAfter = (
  locked: Pick<LockedRun<WaitingRun>, "run" | "files">,
  failed: FailedLogin & { readonly runId: RunId },
  now: number
) => Change | null

export class RunStore extends Context.Service<
  RunStore,
  {
    /**
     * Accepts a run as `Transition.submit` says, while no edit of its gate is in progress.
     *
     * Its version must be the latest one of the workflow when it is accepted.
     *
     * Submissions of one workflow do not wait for each other; waiting runs start in the order of their submission.
     * An `add_to_output` is refused when its stored form, which may be compressed, exceeds its limit. Of several runs of a
     * workspace that ask for one reference to themselves, one is accepted, until it is removed.
     */
    readonly submit: (
      submission: Submission
    ) => Effect.Effect<
      GatedRun,
      WorkflowNotFound | VersionOutdated | FieldsTooLarge | ReferenceTaken | StoreUnavailable
    >

    /**
     * Accepts a run that repeats an ended one, as `submit` does; its version must be the latest one only where `isLatest`.
     *
     * Of several retries of one run at the same time one is accepted, unless they have reasons.
     */
    readonly retry: (
      submission: Submission & { readonly retry: Retry },
      options: { readonly isLatest: boolean }
    ) => Effect.Effect<
      GatedRun,
      WorkflowNotFound | VersionOutdated | FieldsTooLarge | RunNotFound | AlreadyRetried | StoreUnavailable
    >

    /** The runs that repeat these runs, oldest first. */
    readonly retriesOf: (
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<ReadonlyArray<{ readonly of: RunId; readonly retry: RunId }>, StoreUnavailable>

    /**
     * Whether the value that a dry run would add to its output is over its limit as the store would keep it: then the
     * field, otherwise none. Nothing is kept.
     */
    readonly weigh: (
      workspaceId: WorkspaceId,
      addToOutput: Schema.Json
    ) => Effect.Effect<ReadonlyArray<FieldTooLarge>, StoreUnavailable>

    readonly get: (workspaceId: WorkspaceId, id: RunId) => Effect.Effect<GatedRun, RunNotFound | StoreUnavailable>

    /**
     * What a waiting run would have to wait for if it were claimed now: a named limit that allows it no start, or else a
     * credential, as `Slots.awaited` says. `null` where it would not, and for a run that does not wait.
     */
    readonly awaited: (
      workspaceId: WorkspaceId,
      id: RunId
    ) => Effect.Effect<Awaited | SpentLimit | null, StoreUnavailable>

    /** The runs in progress of each worker that has some, and how many of them are of this workspace. */
    readonly inProgress: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<InProgress>, StoreUnavailable>

    /**
     * One page of the runs that satisfy a filter. It has fewer runs than `limit` and yet a `next` only where the filter
     * has a text: one page examines a bounded number of runs for it.
     */
    readonly list: (workspaceId: WorkspaceId, filter: Filter) => Effect.Effect<ListPage, StoreUnavailable>

    /** Counts the runs that satisfy a filter, up to `mostCounted` of them, and by a bounded effort. */
    readonly count: (workspaceId: WorkspaceId, filter: RunFilter) => Effect.Effect<Total, StoreUnavailable>

    /** Counts the runs that satisfy a filter by status and by hold, each as `count` does. */
    readonly counts: (workspaceId: WorkspaceId, filter: RunFilter) => Effect.Effect<Counts, StoreUnavailable>

    /** Counts the newest runs that satisfy a filter. */
    readonly tally: (workspaceId: WorkspaceId, filter: RunFilter) => Effect.Effect<Tally, StoreUnavailable>

    /**
     * One page of the events of a run, oldest first, from the one after `after` (0 for the first page). Empty when there are
     * no more, and for an unknown run.
     */
    readonly events: (id: RunId, after: number) => Effect.Effect<ReadonlyArray<LoggedEvent>, StoreUnavailable>

    /**
     * Decides about many runs of a workspace, each while it is locked, and changes those for which a decision brings a
     * change. Answers every decision in the order of `ids`; for a run that does not exist, `null`.
     *
     * Not one step: runs are changed in pieces, each in its own transaction, unless the caller has one open. With `dryRun`
     * nothing is locked and nothing is changed. A decision may be made more than once.
     */
    readonly changeAll: <A extends Decision>(
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<RunId>,
      decide: (locked: LockedRun, now: number) => A,
      options: { readonly dryRun: boolean }
    ) => Effect.Effect<ReadonlyArray<A | null>, StoreUnavailable>

    /**
     * Changes the tags of runs, ended ones as well, by a decision from the tags of each; `null` leaves them unchanged. It
     * answers for each id the status of the run as it reads and the tags that it had, or `null` for no run; in pieces and
     * with `dryRun` as `changeAll`.
     */
    readonly changeTags: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<RunId>,
      decide: (tags: ReadonlyArray<string>) => ReadonlyArray<string> | null,
      options: { readonly dryRun: boolean }
    ) => Effect.Effect<
      ReadonlyArray<{ readonly status: Status; readonly before: ReadonlyArray<string> } | null>,
      StoreUnavailable
    >

    /** Changes one run by a decision made while the run is locked. A decision that fails changes nothing. */
    readonly change: (
      workspaceId: WorkspaceId,
      id: RunId,
      decide: (locked: LockedRun, now: number) => Result.Result<Change, RunEnded>
    ) => Effect.Effect<Change, RunEnded | RunNotFound | StoreUnavailable>

    /**
     * Starts up to `limit` waiting runs for `worker`, each as `Transition.claim` says, in one transaction.
     *
     * A run is taken only if its gate lets it start at an instant read while the gate cannot change, and never more runs of
     * a workflow than its pace allows, regardless of how many workers claim. Within a workflow the highest priority comes
     * first, and of equal ones the oldest submission; workflows take turns, one run each, so that a long queue of one cannot
     * starve another. Every lease has a fence higher than any before it. The cost depends on how many runs are taken, not on
     * how many are held.
     *
     * A run that names credentials is taken only together with the slots that `Slots.assign` gives it. A run that has
     * to wait for a slot does not block later runs that need other slots, unless it waits for several slots and has
     * waited long. A slot stays in use until its run ends or waits again.
     *
     * With `turns`, no run is taken of the workspaces that are full, and the others take turns before their workflows do: of
     * several that have startable runs, one run of each is taken in the order of the turns before a second one of any.
     */
    readonly claim: (options: {
      readonly worker: string
      readonly limit: number
      readonly leaseMillis: number
      readonly turns?: Turns
    }) => Effect.Effect<ReadonlyArray<ClaimedRun>, StoreUnavailable>

    /** Prolongs leases and answers which of them were lost: ended, taken over, or given up. */
    readonly renew: (
      leases: ReadonlyArray<LeaseRef>,
      leaseMillis: number
    ) => Effect.Effect<ReadonlyArray<LeaseRef>, StoreUnavailable>

    /** Appends events of a running attempt and records its progress, if the lease is still its own. */
    readonly report: (
      lease: LeaseRef,
      report: { readonly events: ReadonlyArray<RunEvent>; readonly progress?: Partial<Progress> }
    ) => Effect.Effect<void, LeaseLost | StoreUnavailable>

    /**
     * Notes that a running attempt has signed in with the credential of an alias, if the lease is still its own. Answers
     * whether others had to wait for that.
     */
    readonly loggedIn: (lease: LeaseRef, alias: string) => Effect.Effect<boolean, LeaseLost | StoreUnavailable>

    /** Ends or gives back a running attempt by a decision, if the lease is still its own. */
    readonly settle: (
      lease: LeaseRef,
      decide: (locked: LockedRun<RunningRun>, now: number) => Change
    ) => Effect.Effect<Change, LeaseLost | StoreUnavailable>

    /**
     * Decides about runs whose lease has run out, and about waiting runs whose time is over, that should have started, or
     * whose workflow was deleted, at most `limit` of them.
     *
     * Any number of processes may do this at once: each run is decided about once. A run that is locked at the moment is
     * left to the next call. A decision that returns `null` leaves the run unchanged. Answers the changed runs.
     */
    readonly reap: (
      limit: number,
      decide: (locked: LockedRun, now: number) => Change | null
    ) => Effect.Effect<ReadonlyArray<Run>, StoreUnavailable>

    /**
     * Records that an edit of a gate holds its waiting runs, unless the gate has opened since: first for the workflow,
     * with their number, then for those that waited at the time of the edit and are watched, or for all if the
     * announcement says so. Up to `limit` runs of one workflow at a time, oldest first; workflows take turns. Returns
     * whether there may be more.
     *
     * Any number of processes may do this at once. A run that is submitted later gets this event from its submission.
     */
    readonly announceHolds: (limit: number, announcement: HoldAnnouncement) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Marks a waiting run as watched until its end. If it is held now and that was not announced, because it
     * was not watched, that is announced now; returns whether it was. Changes nothing for a run that does not wait.
     */
    readonly watch: (
      workspaceId: WorkspaceId,
      id: RunId,
      ofRun: HoldAnnouncement["ofRun"]
    ) => Effect.Effect<boolean, RunNotFound | StoreUnavailable>

    /**
     * Stops the runs that waited for a credential, and for no other, when a run ended because it could not sign in with
     * it: up to `limit` runs of one such failure at a time, except runs submitted later. Returns whether there may be
     * more. Until all are stopped, no run of them starts, and all of them stay readable.
     */
    readonly stopAfterFailedLogins: (limit: number, decide: StopAfter) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * The waiting runs with credentials of workflows whose settings ask for checks of these, and whose next opening lies
     * after now and not after `until`: of the runs of a workflow that need the same credentials only one. Those that open
     * first come first, of at most 500 workflows.
     */
    readonly opening: (until: number) => Effect.Effect<ReadonlyArray<Opening>, StoreUnavailable>

    /**
     * The first instant, past ones included, at which a lease runs out, a waiting run expires, should have started or has lost its workflow,
     * or after `after` at which a put-off run may be claimed; `null` when there is none.
     */
    readonly nextDue: (after: number) => Effect.Effect<number | null, StoreUnavailable>
  }
>()("sluice/core/run/RunStore") {}

/** All events of a run after the one with the sequence `after`, read page by page. */
export const history = Effect.fnUntraced(function* (runs: Pick<RunStore["Service"], "events">, id: RunId, after = 0) {
  const all: Array<LoggedEvent> = []
  for (;;) {
    const some = yield* runs.events(id, all.at(-1)?.sequence ?? after)
    if (some.length === 0) return all
    for (const one of some) all.push(one)
  }
})
