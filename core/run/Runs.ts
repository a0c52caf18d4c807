/**
 * Submitting, reading and stopping the runs of a workspace, as callers do.
 *
 * Every operation is for a caller: what belongs to another workspace is not found, and what the role does not allow fails with
 * `RoleForbids`. The layer needs the stores and `Identifiers`.
 *
 * **Example** (Submitting a run and reading it)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Runs } from "@sluice/core/runs"
 * import type { Caller } from "@sluice/core/workspace"
 * import type { WorkflowId } from "@sluice/core/workspace/ids"
 *
 * export const submit = (caller: Caller, workflowId: WorkflowId) =>
 *   Effect.gen(function* () {
 *     const runs = yield* Runs
 *     const { id } = yield* runs.submit(caller, { workflowId, input: { order: 7 }, options: {} })
 *     const { run } = yield* runs.get(caller, id)
 *     return run.status
 *   }).pipe(Effect.catchTag("InvalidInput", ({ errors }) => Effect.succeed(errors)))
 * ```
 */

import { Clock, Context, Effect, Layer } from "effect"
import { isOfRun, type LoggedEvent } from "../event/RunEvent.ts"
import * as Forecast from "../gate/Forecast.ts"
import type { Hold } from "../gate/Gate.ts"
import { GateStore } from "../gate/GateStore.ts"
import { WorkerCapacity } from "../gate/WorkerCapacity.ts"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type * as InputContract from "../workflow/contract/InputContract.ts"
import type * as FieldLimit from "../workflow/FieldLimit.ts"
import type { RunId, RunNotFound, WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import * as Permissions from "../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../workspace/Workspace.ts"
import * as PlaceLimit from "./hold/PlaceLimit.ts"
import * as Waits from "./hold/Waits.ts"
import type { RunFilter } from "./list/RunFilter.ts"
import * as Run from "./Run.ts"
import {
  type Counts,
  type Filter,
  history,
  type ListPage,
  type ReferenceTaken,
  RunStore,
  type Tally,
  type Total
} from "./RunStore.ts"
import * as Submitting from "./submit/Submitting.ts"
import * as Transition from "./Transition.ts"

/** A run as its record shows it at one instant. */
export interface View extends Waits.Outlook {
  readonly run: Run.Run
  readonly status: Run.Status
  /** Every hold in force; empty for a run that does not wait. */
  readonly holds: ReadonlyArray<Hold>
  /** The runs that retry it, oldest first. */
  readonly retriedAs: ReadonlyArray<RunId>
  /** Oldest first. */
  readonly events: ReadonlyArray<LoggedEvent>
}

/** The runs that satisfy a filter, counted. Statuses and holds are as they read at the instant of the answer. */
export interface Summary extends Counts {
  readonly newest: Tally
  /**
   * When the waiting runs of paced workflows start, and of those that the filter names where the workers are known: of at
   * most `mostForecast` workflows.
   */
  readonly forecasts: ReadonlyArray<Forecast.Forecast & { readonly workflowId: WorkflowId }>
}

/** How many workflows a summary forecasts. */
const mostForecast = 5

export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Accepts a run of the latest version of a workflow, if its input satisfies the input contract of that version.
     *
     * It starts as soon as no hold is in force and a worker is free; the answer does not wait for that.
     */
    readonly submit: (
      caller: Caller,
      request: Submitting.Request
    ) => Effect.Effect<
      Run.Run,
      | WorkflowNotFound
      | InputContract.InvalidInput
      | Submitting.InvalidSubmission
      | FieldLimit.FieldsTooLarge
      | ReferenceTaken
      | RoleForbids
      | StoreUnavailable
    >

    readonly get: (caller: Caller, id: RunId) => Effect.Effect<View, RunNotFound | StoreUnavailable>

    /** One page of the events of a run after the one with the sequence `after`, oldest first; none when there are no more. */
    readonly events: (
      caller: Caller,
      id: RunId,
      after: number
    ) => Effect.Effect<ReadonlyArray<LoggedEvent>, RunNotFound | StoreUnavailable>

    /** Marks a run as watched: until its end, each hold on it emits an event, beginning with a hold in force now. */
    readonly watch: (caller: Caller, id: RunId) => Effect.Effect<void, RunNotFound | StoreUnavailable>

    readonly list: (caller: Caller, filter: Filter) => Effect.Effect<ListPage, StoreUnavailable>

    /** How many runs satisfy a filter, exact up to a bound. */
    readonly count: (caller: Caller, filter: RunFilter) => Effect.Effect<Total, StoreUnavailable>

    /** Counts the runs that satisfy a filter by status, by hold, and by what the newest of them have. */
    readonly summary: (caller: Caller, filter: RunFilter) => Effect.Effect<Summary, StoreUnavailable>

    /** Stops the waiting runs of deleted workflows, within a bounded time; the scheduler stops the rest. */
    readonly stopOrphans: Effect.Effect<void, StoreUnavailable>

    /**
     * Stops a run: a waiting run never starts, a running one is ended by its worker without delay. `why` becomes the
     * message of its error.
     */
    readonly interrupt: (
      caller: Caller,
      id: RunId,
      why?: Transition.Reason
    ) => Effect.Effect<void, RunNotFound | Run.RunEnded | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/run/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const signals = yield* Signals
      const gates = yield* GateStore
      const capacity = yield* WorkerCapacity

      const submit = yield* Submitting.make

      const get = Effect.fn("Runs.get")(function* (caller: Caller, id: RunId) {
        const gated = yield* runs.get(caller.workspaceId, id)
        const retriedAs = Run.isEnded(gated.run) ? yield* runs.retriesOf([gated.run.id]) : []
        const { gate, run } = gated
        const workers = Run.isWaiting(run) ? yield* capacity.current : null
        const isForeseen = Run.isWaiting(run) && (gate.pace !== null || workers !== null)
        const queue = isForeseen ? yield* gates.queue(run.workflowId, run.id) : null
        const awaited = Run.isWaiting(run) ? yield* runs.awaited(caller.workspaceId, id) : null
        const at = yield* Clock.currentTimeMillis
        const isReady = Waits.present({ run, gate, awaited, at })[0]?.reason === "capacity"
        const each = isReady ? workers?.each : undefined
        const limit = each === undefined ? null : PlaceLimit.of(each, yield* runs.inProgress(caller.workspaceId))
        const demand = queue === null ? null : { queue, workers, limit }
        return {
          run,
          status: Run.statusAt(run, gate, at),
          holds: Run.holds(run, gate, at),
          ...Waits.of({ run, gate, awaited, at }, demand),
          retriedAs: retriedAs.map(({ retry }) => retry),
          events: (yield* history(runs, id)).filter(isOfRun)
        }
      })

      const events = Effect.fn("Runs.events")(function* (caller: Caller, id: RunId, after: number) {
        yield* runs.get(caller.workspaceId, id)
        return yield* runs.events(id, after)
      })

      const watch = Effect.fn("Runs.watch")(function* (caller: Caller, id: RunId) {
        const announced = yield* runs.watch(caller.workspaceId, id, ({ gate, run }, now) =>
          Transition.pausedEvents(run, gate, now)
        )
        if (announced) yield* signals.publish({ _tag: "events" })
      })

      const list = Effect.fn("Runs.list")((caller: Caller, filter: Filter) => runs.list(caller.workspaceId, filter))
      const count = Effect.fn("Runs.count")((caller: Caller, filter: RunFilter) =>
        runs.count(caller.workspaceId, filter)
      )

      const summary = Effect.fn("Runs.summary")(function* ({ workspaceId }: Caller, filter: RunFilter) {
        const [counts, newest, forecast] = yield* Effect.all(
          [
            runs.counts(workspaceId, filter),
            runs.tally(workspaceId, filter),
            forecastsOf(gates, capacity, workspaceId, filter.workflowIds)
          ],
          { concurrency: "unbounded" }
        )
        return { ...counts, newest, forecasts: forecast }
      })

      const interrupt = Effect.fn("Runs.interrupt")(function* (caller: Caller, id: RunId, why?: Transition.Reason) {
        const { run } = yield* runs.change(caller.workspaceId, id, (locked, at) =>
          Transition.interrupt(locked, at, why)
        )
        // Runs that had to wait for this one may start.
        if (run.startedAt !== null) yield* signals.publish({ _tag: "work" })
        yield* signals.publish({ _tag: "ended", runId: id })
        yield* signals.publish({ _tag: "events" })
      })

      return Runs.of({
        submit,
        get,
        events,
        watch,
        list,
        count,
        summary,
        interrupt,
        stopOrphans: stopOrphans(runs, signals)
      })
    }).pipe(
      Permissions.checked<Runs["Service"]>({
        submit: "run",
        get: "read",
        events: "read",
        watch: "read",
        list: "read",
        count: "read",
        summary: "read",
        interrupt: "run"
      })
    )
  )
}

/**
 * The forecasts of at most `mostForecast` workflows with waiting runs: those with a pace, and, while workers are known,
 * those that the filter names.
 */
const forecastsOf = Effect.fnUntraced(function* (
  gates: GateStore["Service"],
  capacity: (typeof WorkerCapacity)["Service"],
  workspaceId: WorkspaceId,
  workflowIds: RunFilter["workflowIds"]
) {
  const workers = yield* capacity.current
  const named = workers === null ? [] : (workflowIds ?? []).slice(0, mostForecast)
  const foreseen = [
    ...(yield* gates.paced(workspaceId, workflowIds, mostForecast)),
    // Workflows without a pace are forecast only if the filter names them: there may be very many.
    ...(yield* Effect.forEach(named, (workflowId) =>
      gates.get(workspaceId, workflowId).pipe(
        Effect.map((gate) => (gate.pace === null ? [{ gate, workflowId }] : [])),
        Effect.catchTag("WorkflowNotFound", () => Effect.succeed([]))
      )
    )).flat()
  ].slice(0, mostForecast)
  const now = yield* Clock.currentTimeMillis
  const found = yield* Effect.forEach(foreseen, ({ gate, workflowId }) =>
    Effect.map(gates.queue(workflowId), (queue) => ({ workflowId, ...Forecast.of(gate, queue, workers, now) }))
  )
  return found.filter(({ waiting }) => waiting > 0)
})

const stopOrphans = (runs: RunStore["Service"], signals: Signals["Service"]) =>
  Effect.gen(function* () {
    for (let round = 0; round < orphanRounds; round++) {
      const stopped = yield* runs.reap(orphanBatch, Transition.orphan)
      yield* Effect.forEach(stopped, (run) => signals.publish({ _tag: "ended", runId: run.id }), { discard: true })
      if (stopped.length === 0) return
      yield* signals.publish({ _tag: "events" })
    }
  }).pipe(Effect.withSpan("Runs.stopOrphans"))

/** A deletion stops at most `orphanBatch` times `orphanRounds` runs itself. */
const orphanBatch = 200
const orphanRounds = 10
