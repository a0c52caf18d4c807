/**
 * Logs and counts every transition of a run, in the process that made it, once the store has it.
 *
 * A line holds ids, counts and codes only: no input, no output, no message of a failure.
 */
import { Clock, Effect, Layer } from "effect"
import type { RunEvent } from "../event/RunEvent.ts"
import * as Measures from "../runtime/Measures.ts"
import * as Trace from "../runtime/Trace.ts"
import * as Run from "./Run.ts"
import { RunStore } from "./RunStore.ts"
import * as Transition from "./Transition.ts"

type Facts = Readonly<Record<string, string | number | null>>

/** The transitions of a run, by their events. */
const messages: Readonly<Partial<Record<RunEvent["event"], string>>> = {
  "execution.queued": "Run queued",
  "execution.paused": "Run held",
  "execution.released": "Run released",
  "execution.start": "Attempt started",
  "execution.requeued": "Run waits for another attempt",
  "execution.success": "Run completed",
  "execution.failed": "Run failed",
  "execution.stopped": "Run stopped"
}

const log = (run: Run.Run, event: RunEvent["event"], more: Facts = {}): Effect.Effect<void> => {
  const message = messages[event]
  if (message === undefined) return Effect.void
  const line = Effect.annotateLogs(Effect.logInfo(message), {
    event,
    session_id: run.id,
    workflow_id: run.workflowId,
    workspace_id: run.workspaceId,
    attempt: run.attempts,
    ...originOf(run),
    ...more
  })
  return Effect.andThen(line, counted(run, event))
}

/** The trace of a run, and the request that submitted it. */
const originOf = ({ options }: Run.Run): Facts => {
  const traceId = Trace.idOf(options.traceparent)
  return {
    ...(traceId === null ? {} : { trace_id: traceId }),
    ...(options.requestId === undefined ? {} : { request_id: options.requestId })
  }
}

const counted = (run: Run.Run, event: RunEvent["event"]): Effect.Effect<void> => {
  if (event === "execution.queued") return Measures.runSubmitted
  if (event === "execution.start") return Measures.attemptStarted
  if (!Run.isEnded(run)) return Effect.void
  const { endedAt, errors, startedAt, status, warnings } = run
  const seconds = startedAt === null ? null : (endedAt - startedAt) / 1_000
  const code = status === "execution.success" ? null : (errors.at(-1)?.code ?? null)
  return Effect.andThen(
    Measures.warned(warnings.map((warning) => warning.code)),
    Measures.runEnded(status.slice("execution.".length), code, seconds)
  )
}

/** The facts of a run that has ended. `run_ms` is `null` for a run that never started. */
const ending = ({ endedAt, errors, startedAt }: Run.EndedRun): Facts => ({
  run_ms: startedAt === null ? null : endedAt - startedAt,
  error_code: errors.at(-1)?.code ?? null
})

const factsOf = (run: Run.Run, event: RunEvent): Facts => {
  if (event.event === "execution.paused") return { reason: event.reason, next_open_at: event.nextOpenAt }
  if (event.event === "execution.released") return { released_by: event.by }
  if (event.event === "workflow.paused") {
    return { reason: event.reason, next_open_at: event.nextOpenAt, held_runs: event.heldRuns }
  }
  if (event.event === "execution.requeued") {
    return { retries: event.retries, delay_ms: event.delayMillis, error_code: run.errors.at(-1)?.code ?? null }
  }
  return Run.isEnded(run) ? ending(run) : {}
}

const logEvents = (run: Run.Run, events: ReadonlyArray<RunEvent>): Effect.Effect<void> =>
  Effect.forEach(events, (event) => log(run, event.event, factsOf(run, event)), { discard: true })

const logChange = ({ events, run }: Transition.Change): Effect.Effect<void> => logEvents(run, events)

/** The changes of a batch, which its decisions return and its result does not. A decision that is repeated counts once. */
const gathering = () => {
  const changes = new Map<string, Pick<Transition.Change, "run" | "events">>()
  return {
    add: (change: Pick<Transition.Change, "run" | "events">) => void changes.set(change.run.id, change),
    log: Effect.suspend(() =>
      Effect.forEach(changes.values(), ({ events, run }) => logEvents(run, events), { discard: true })
    )
  }
}

/** The store, with a line for every transition. */
export const logged = (store: RunStore["Service"]): RunStore["Service"] =>
  RunStore.of({
    ...store,
    submit: (submission) =>
      Effect.tap(store.submit(submission), ({ gate, run }) =>
        Effect.andThen(log(run, "execution.queued"), logEvents(run, Transition.pausedEvents(run, gate, run.createdAt)))
      ),
    retry: (submission, options) =>
      Effect.tap(store.retry(submission, options), ({ gate, run }) =>
        Effect.andThen(log(run, "execution.queued"), logEvents(run, Transition.pausedEvents(run, gate, run.createdAt)))
      ),
    changeAll: (workspaceId, ids, decide, options) =>
      Effect.tap(store.changeAll(workspaceId, ids, decide, options), (decisions) =>
        options.dryRun
          ? Effect.void
          : Effect.forEach(new Set(decisions.flatMap((decision) => decision?.change ?? [])), logChange, {
              discard: true
            })
      ),
    change: (workspaceId, id, decide) => Effect.tap(store.change(workspaceId, id, decide), logChange),
    claim: (options) =>
      Effect.tap(store.claim(options), (claimed) =>
        claimed.length === 0
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.forEach(
                claimed,
                ({ run, startableSince = Math.max(run.createdAt, run.notBefore) }) =>
                  Effect.andThen(
                    Measures.startDelayed((now - startableSince) / 1_000),
                    log(run, "execution.start", {
                      worker: run.lease.worker,
                      waited_ms: Math.max(0, now - Math.max(run.createdAt, run.notBefore))
                    })
                  ),
                { discard: true }
              )
            )
      ),
    report: (lease, report) =>
      Effect.tap(store.report(lease, report), () =>
        Effect.forEach(
          report.events,
          ({ event, runId, workflowId }) =>
            Effect.annotateLogs(Effect.logDebug("Attempt reported"), {
              event,
              session_id: runId,
              workflow_id: workflowId
            }),
          { discard: true }
        )
      ),
    settle: (lease, decide) => Effect.tap(store.settle(lease, decide), logChange),
    reap: (limit, decide) =>
      Effect.suspend(() => {
        const { add, log } = gathering()
        const kept = store.reap(limit, (locked, now) => {
          const change = decide(locked, now)
          if (change !== null) add(change)
          return change
        })
        return Effect.tap(kept, log)
      }),
    announceHolds: (limit, announcement) =>
      Effect.suspend(() => {
        const { add, log } = gathering()
        const noted = (run: Run.Run, events: ReadonlyArray<RunEvent>) => {
          add({ run, events })
          return events
        }
        const announced = store.announceHolds(limit, {
          ...announcement,
          ofRun: (gated, now) => noted(gated.run, announcement.ofRun(gated, now)),
          ofWorkflow: (latest, held, now) => noted(latest.run, announcement.ofWorkflow(latest, held, now))
        })
        return Effect.tap(announced, log)
      }),
    stopAfterFailedLogins: (limit, decide) =>
      Effect.suspend(() => {
        const { add, log } = gathering()
        const stopped = store.stopAfterFailedLogins(limit, (locked, failed, now) => {
          const change = decide(locked, failed, now)
          if (change !== null) add(change)
          return change
        })
        return Effect.tap(stopped, log)
      })
  })

/** The store of the layer below, with a line for every transition. */
export const layer = Layer.effect(RunStore, Effect.map(RunStore, logged))
