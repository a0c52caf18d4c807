/**
 * One attempt of a run under one lease: executed, reported while it is in progress, and settled when it ends.
 */

import { Clock, Effect, Queue, Semaphore } from "effect"
import type { RunEvent } from "../event/RunEvent.ts"
import * as Pace from "../gate/Pace.ts"
import { Signals } from "../runtime/Signals.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import { outage } from "../runtime/Supervisor.ts"
import * as Trace from "../runtime/Trace.ts"
import { Executor } from "./Executor.ts"
import * as Run from "./Run.ts"
import { type ClaimedRun, RunStore } from "./RunStore.ts"
import * as Transition from "./Transition.ts"

/** Records an attempt in the trace of its run, after the span of the time that the run waited for it. */
const inTrace =
  ({ run }: ClaimedRun) =>
  <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Trace.Recorder, (recorder) => {
      if (recorder === null) return attempt
      const attributes = {
        "sluice.session_id": run.id,
        "sluice.workflow_id": run.workflowId,
        "sluice.workspace_id": run.workspaceId,
        "sluice.attempt": run.attempts,
        "sluice.worker": run.lease.worker
      }
      return Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) =>
          Trace.record("run waits", { from: Math.max(run.createdAt, run.notBefore), to: now }, { attributes })
        ),
        Effect.andThen(Trace.inSpan("run", { kind: "consumer", attributes, decides: true })(attempt))
      )
    }).pipe(Trace.continued(run.options.traceparent))

/**
 * Executes the attempt of a claimed run and settles it in every case.
 *
 * The run ends with the outcome of the executor. On interruption the run is returned at once, as `Transition.abandon`
 * decides. After a lost lease, nothing more is written. The effect succeeds in each of these cases. `makeRoom` runs when
 * the executor is done and only the end of the run remains to be stored.
 */
export const carryOut = (claimed: ClaimedRun, makeRoom: Effect.Effect<void> = Effect.void) =>
  inTrace(claimed)(attempted(claimed, makeRoom))

const attempted = Effect.fnUntraced(function* (claimed: ClaimedRun, makeRoom: Effect.Effect<void>) {
  const store = yield* RunStore
  const executor = yield* Executor
  const signals = yield* Signals
  const grown = signals.publish({ _tag: "events" })
  const lease = { id: claimed.run.id, fence: claimed.run.lease.fence }
  const reported = yield* Queue.unbounded<RunEvent>()
  const writing = yield* Semaphore.make(1)
  let unwritten: ReadonlyArray<RunEvent> = []
  let hasReported = false

  /** Writes all reported progress at once. Reports that arrive during a write go into the next one. */
  const write = (progress: Partial<Run.Progress>) =>
    writing.withPermit(
      Effect.gen(function* () {
        hasReported = true
        unwritten = [...unwritten, ...(yield* Queue.clear(reported))]
        if (unwritten.length === 0 && Object.keys(progress).length === 0) return
        yield* store.report(lease, { events: unwritten, progress })
        const isMore = unwritten.length > 0
        unwritten = []
        if (isMore) yield* grown
        // An interrupted write has an unknown result, and would be reported twice.
      }).pipe(Effect.uninterruptible, StoreUnavailable.retry)
    )

  /** Whether the end of this attempt may let another one start: of another run of the workflow, or of this run at once. */
  let makesWay = claimed.run.credentials.length > 0

  /** Waits for a write that is in progress, and writes the rest. Most attempts that do little have reported nothing. */
  const flush = Effect.suspend(() => (hasReported || Queue.sizeUnsafe(reported) > 0 ? write({}) : Effect.void))

  const settle = (decide: (locked: Transition.LockedRun<Run.RunningRun>, now: number) => Transition.Change) =>
    flush.pipe(
      Effect.andThen(
        StoreUnavailable.retry(
          store.settle(lease, (locked, now) => {
            const change = decide(locked, now)
            makesWay ||=
              Pace.limitsRunning(locked.gate.pace) || (Run.isWaiting(change.run) && change.run.notBefore <= now)
            return change
          })
        )
      ),
      // When a run is postponed, the scheduler wakes the workers later.
      Effect.tap(({ run }) => (Run.isWaiting(run) ? signals.publish({ _tag: "due" }) : Effect.void)),
      Effect.tap(({ run }) =>
        Run.isEnded(run) && run.options.canary === "candidate" ? signals.publish({ _tag: "canary" }) : Effect.void
      ),
      Effect.tap(({ failedLogin }) => (failedLogin?.stopsOthers ? signals.publish({ _tag: "due" }) : Effect.void)),
      // Its credential slots and its place among the running runs are free.
      Effect.tap(() => (makesWay ? signals.publish({ _tag: "work" }) : Effect.void)),
      Effect.tap(grown)
    )

  const loggedIn = (alias: string) =>
    StoreUnavailable.retry(store.loggedIn(lease, alias)).pipe(
      Effect.flatMap((freed) => (freed ? signals.publish({ _tag: "work" }) : Effect.void))
    )

  const writer = Effect.forever(Effect.andThen(Queue.peek(reported), write({})))

  const attempt = executor
    .execute(claimed, { event: (event) => Queue.offer(reported, event), mark: write, loggedIn })
    .pipe(
      Effect.map((outcome) => () => outcome),
      Effect.catchDefect((defect) =>
        Effect.logError("The attempt failed with an internal error", defect).pipe(Effect.as(died))
      ),
      Effect.raceFirst(writer)
    )

  // The outcome of an attempt is kept, even if it is interrupted in that moment.
  yield* Effect.uninterruptibleMask((restore) =>
    restore(attempt).pipe(
      Effect.tap(makeRoom),
      Effect.flatMap((outcome) => settle((locked, at) => Transition.settle(locked, outcome(locked.run, at), at))),
      Effect.onInterrupt(() => settle(Transition.abandon)),
      Effect.catchTag("LeaseLost", (lost) => Effect.logInfo(lost.message)),
      // The lease has run out by now: the run is tried again, or ended, by the scheduler.
      Effect.catchTag("StoreUnavailable", ({ message }) =>
        outage(`The end of an attempt of run ${lease.id} could not be stored: ${message}`)
      ),
      Effect.annotateLogs({
        session_id: lease.id,
        workflow_id: claimed.run.workflowId,
        attempt: claimed.run.attempts,
        ...traced(claimed)
      })
    )
  )
})

/** The trace of the run, for the lines of its attempt. */
const traced = ({ run }: ClaimedRun) => {
  const traceId = Trace.idOf(run.options.traceparent)
  return traceId === null ? {} : { trace_id: traceId }
}

const died = (run: Run.Run, at: number): Transition.Outcome => ({
  _tag: "Failed",
  data: run.data,
  errors: [Run.failure(run, "AGENT-E0000", "The attempt ended by an internal error: see the log of the worker", at)]
})
