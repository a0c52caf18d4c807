/**
 * The transitions of a run, each a function of the run, the request and the instant.
 *
 * A decision returns the changed run with its events, or the typed reason of its refusal. Decisions read no clock and have
 * no effects; a store applies them to one run at a time.
 */
import { Result, type Schema } from "effect"
import * as OutcomeCertainty from "../event/OutcomeCertainty.ts"
import type { EndEvent, RunEvent, RunEventOf, RunFile } from "../event/RunEvent.ts"
import type { RunFailure } from "../event/RunFailure.ts"
import * as RunWarning from "../event/RunWarning.ts"
import * as Gate from "../gate/Gate.ts"
import type { RunId } from "../workspace/Ids.ts"
import { type Credential, useOf } from "./CredentialReferences.ts"
import * as Run from "./Run.ts"
import * as Slots from "./Slots.ts"
import type { Start } from "./start/Start.ts"

/**
 * The inputs of a decision about a run: the run, locked, the gate of its workflow, and the files that it has produced.
 */
export interface LockedRun<R extends Run.Run = Run.Run> {
  readonly run: R
  readonly gate: Gate.Gate
  /** Oldest first. */
  readonly files: ReadonlyArray<RunFile>
}

/** The inputs of the end of a run. */
type Ending<R extends Run.Run = Run.Run> = Pick<LockedRun<R>, "run" | "files">

/** A changed run and the events of the change, in order. */
export interface Change<R extends Run.Run = Run.Run> {
  readonly run: R
  readonly events: ReadonlyArray<RunEvent>
  /** Why the run starts, where the change starts it. */
  readonly start?: Start
  /**
   * The credential that the attempt could not sign in with. `stopsOthers` is true when the runs that wait for it stop.
   */
  readonly failedLogin?: Slots.FailedLogin & { readonly stopsOthers: boolean }
}

/** Everything that a submission decides; the rest of the run follows from it. */
export type Submission = Pick<
  Run.Run,
  "id" | "workspaceId" | "workflowId" | "versionId" | "input" | "credentials" | "options" | "maxRetries" | "expiresAt"
> &
  Partial<Run.Terms> & { readonly retry?: Run.Retry }

/** How an attempt ended, as the agent reports it. */
export type Outcome =
  | {
      readonly _tag: "Success"
      readonly data: Schema.Json
      readonly warnings?: RunWarning.RunWarnings
      readonly modelCalls?: Run.ModelCalls
    }
  | {
      readonly _tag: "Failed"
      readonly data: Schema.Json
      readonly warnings?: RunWarning.RunWarnings
      readonly modelCalls?: Run.ModelCalls
      readonly errors: ReadonlyArray<RunFailure>
      /** Present when the run is retried. */
      readonly retry?: Retry
      /** The alias of the credential that the attempt could not sign in with, where that is how it failed. */
      readonly failedLogin?: string
      /** Whether it failed because its browser was lost. */
      readonly lostBrowser?: true
    }

/** The effect of a failure: how many retries in total (`null`: as many as the workflow allows), and their delay. */
export interface Retry {
  readonly times: number | null
  readonly delayMillis: number | null
}

/**
 * Accepts a run: queued, and announced as paused too when its gate holds it at `at`.
 */
export const submit = (submission: Submission, gate: Gate.Gate, at: number): Change<Run.WaitingRun> => {
  const run: Run.WaitingRun = {
    ...Run.defaultTerms,
    ...submission,
    retry: submission.retry ?? null,
    status: "execution.queued",
    createdAt: at,
    startedAt: null,
    endedAt: null,
    attempts: 0,
    retries: 0,
    notBefore: at,
    release: null,
    lease: null,
    progress: untouched,
    data: {},
    errors: [],
    warnings: [],
    warningCount: 0,
    modelCalls: Run.noModelCalls
  }
  return { run, events: [{ event: "execution.queued", ...ids(run) }, ...pausedEvents(run, gate, at)] }
}

/**
 * Gives a waiting run to a worker, with the credentials as they were assigned to it. Returns `null` for a run that may
 * not start at `at`: its gate holds it, its retry is put off, or it should have started by then.
 */
export const claim = (
  run: Run.WaitingRun,
  gate: Gate.Gate,
  lease: Run.Lease,
  at: number,
  credentials: ReadonlyArray<Credential> = run.credentials
): Change<Run.RunningRun> | null => {
  if (run.notBefore > at || Run.isTooLate(run, at) || !Run.mayStart(run, gate, at)) return null
  const started: Run.RunningRun = {
    ...run,
    status: "execution.start",
    credentials,
    startedAt: run.startedAt ?? at,
    attempts: run.attempts + 1,
    lease,
    progress: { ...untouched, mark: run.progress.mark }
  }
  return { run: started, events: [{ event: "execution.start", ...ids(run) }] }
}

/** Records the progress of an attempt. Marks are only added, never removed. */
export const progress = (run: Run.RunningRun, marks: Partial<Run.Progress>): Run.RunningRun => ({
  ...run,
  progress: {
    acted: run.progress.acted || marks.acted === true,
    committed: run.progress.committed || marks.committed === true,
    mark: marks.mark ?? run.progress.mark
  }
})

/** Records that an attempt has signed in with a credential, so that other runs may sign in with it. */
export const loggedIn = (run: Run.RunningRun, alias: string): Change<Run.RunningRun> => ({
  run: { ...run, credentials: Slots.signedIn(run.credentials, alias) },
  events: []
})

/** Ends a run with the outcome of its attempt. */
export const finish = (ending: Ending<Run.RunningRun>, outcome: Outcome, at: number): Change<Run.EndedRun> =>
  end(ending, outcome._tag === "Success" ? "execution.success" : "execution.failed", at, {
    data: outcome.data,
    errors: outcome._tag === "Failed" ? outcome.errors : [],
    warnings: outcome.warnings ?? RunWarning.none
  })

/**
 * Settles an attempt: it is tried again when its failure asks for that, retries are left and it passed no node marked
 * as not repeatable; else the run ends with the outcome of the attempt. The errors of a run tried again stay in its
 * record.
 *
 * An attempt whose browser went away before it acted is tried again like one that lost its worker: without using a
 * retry, at most ten attempts in all. The first time it is at once, then put off like a retry, as the worker may have no
 * browser for a while.
 *
 * An attempt that could not sign in with one member of a pool is followed by one with the next, at once and without
 * using a retry, while there is a member that the run did not try.
 */
export const settle = (
  before: LockedRun<Run.RunningRun>,
  outcome: Outcome,
  at: number
): Change<Run.WaitingRun | Run.EndedRun> => {
  const locked = { ...before, run: withCalls(before.run, outcome) }
  const { gate, run } = locked
  const alias = outcome._tag === "Failed" ? outcome.failedLogin : undefined
  const failed = alias === undefined ? null : Slots.failLogin(run.credentials, alias)
  if (outcome._tag === "Success" || failed === null) return settleAttempt(locked, outcome, at)
  const tried = { ...run, credentials: failed.credentials }
  // A check leaves the runs that wait alone: there is time to mend the credential before they start.
  const isCheck = run.options.check !== undefined
  const settled =
    failed.untried && !run.progress.committed
      ? requeue(
          { ...tried, errors: [...run.errors, ...outcome.errors] },
          gate,
          { retries: run.retries, delayMillis: 0 },
          at
        )
      : settleAttempt({ ...locked, run: tried }, outcome, at)
  return { ...settled, failedLogin: { ...failed.login, stopsOthers: Run.isEnded(settled.run) && !isCheck } }
}

/** The run with the model calls of one more attempt. */
const withCalls = (run: Run.RunningRun, { modelCalls = Run.noModelCalls }: Outcome): Run.RunningRun =>
  modelCalls.spent + modelCalls.saved === 0
    ? run
    : {
        ...run,
        modelCalls: {
          spent: run.modelCalls.spent + modelCalls.spent,
          saved: run.modelCalls.saved + modelCalls.saved
        }
      }

const settleAttempt = (
  locked: LockedRun<Run.RunningRun>,
  outcome: Outcome,
  at: number
): Change<Run.WaitingRun | Run.EndedRun> => {
  const { gate, run } = locked
  if (outcome._tag === "Success") return finish(locked, outcome, at)
  const { retry } = outcome
  if (outcome.lostBrowser && !run.progress.acted && !run.progress.committed && run.attempts < maxAttempts) {
    const delayMillis = run.attempts === 1 ? 0 : retryDelayMillis(run.attempts - 2)
    const lost = { ...run, errors: [...run.errors, ...outcome.errors] }
    return requeue(lost, gate, { retries: run.retries, delayMillis }, at)
  }
  if (retry === undefined) return finish(locked, outcome, at)
  const left = run.retries < Math.min(retry.times ?? run.maxRetries, maxAttempts)
  if (!left || run.progress.committed || run.attempts >= maxAttempts) return finish(locked, outcome, at)
  const delayMillis = retry.delayMillis ?? retryDelayMillis(run.retries)
  const failed = { ...run, errors: [...run.errors, ...outcome.errors] }
  return requeue(failed, gate, { retries: run.retries + 1, delayMillis }, at)
}

/** The result of releasing a run. Only the first release changes it. */
export type Released = "released" | "already_released" | "held_by_pause" | "not_waiting"

/**
 * Lets a waiting run start now, past the run window, and past the manual pause in force if `pastPause` is set. A retry that
 * is put off is not put off any longer. A run whose workflow was deleted does not wait for anything.
 */
export const release = (
  { gate, run }: LockedRun,
  { at, by }: Gate.Actor,
  pastPause: boolean
): { readonly outcome: Released; readonly change: Change<Run.WaitingRun> | null } => {
  if (!Run.isWaiting(run) || gate.removedAt !== null) return { outcome: "not_waiting", change: null }
  const pause = Gate.inForce(gate, at).pause
  if (pause !== null && !pastPause && run.release?.pause !== pause.since)
    return { outcome: "held_by_pause", change: null }
  if (run.release !== null && Run.mayStart(run, gate, at) && run.notBefore <= at)
    return { outcome: "already_released", change: null }
  const released = { at, by, pause: pause?.since ?? null }
  return {
    outcome: "released",
    change: {
      run: { ...run, release: released, notBefore: Math.min(run.notBefore, at) },
      events: [{ event: "execution.released", ...ids(run), by, pastPause: pause !== null }]
    }
  }
}

/** Stops a run at the request of a user, waiting or running. Its worker then loses the lease. */
export const interrupt = (
  { files, run }: Ending,
  at: number,
  why: Reason = interruptedByUser(null)
): Result.Result<Change<Run.EndedRun>, Run.RunEnded> =>
  Run.isEnded(run)
    ? Result.fail(new Run.RunEnded({ sessionId: run.id, status: run.status }))
    : Result.succeed(stop({ files, run }, why, at))

/** The reason of an interruption by a user, in their words if they gave some. */
export const interruptedByUser = (message: string | null): Reason => ({
  code: "INTERRUPTED-E0001",
  message: message ?? "Interrupted by a user",
  address: null
})

/**
 * Why an ended run must not be repeated without a reason; `null` where it may be. It may not when it succeeded, or when it
 * passed or began a node that is marked as not repeatable.
 */
export const whyNotRepeatable = (run: Run.EndedRun): string | null => {
  if (run.status === "execution.success") {
    return "It succeeded, and a retry would do its work once more: send force with a reason to retry it all the same"
  }
  const certainty = OutcomeCertainty.of(run.progress)
  if (certainty !== "committed" && certainty !== "unknown") return null
  const node =
    run.progress.mark === null ? "a node that must not be repeated" : `the node "${run.progress.mark.node.name}"`
  const what = certainty === "committed" ? `It has carried out ${node}` : `It may have carried out ${node}`
  return `${what} (outcome_certainty ${certainty}): send force with a reason to retry it all the same`
}

/** Why a run is stopped: a code, a sentence, and the address of the page where it happened, if that is known. */
export interface Reason {
  readonly code: string
  readonly message: string
  readonly address: string | null
  /** The run that caused it, if another one did. */
  readonly runId?: RunId
}

/** Stops a waiting run whose time to wait is over; answers `null` for any other run. */
export const expire = ({ files, run }: Ending, at: number): Change<Run.EndedRun> | null =>
  Run.isWaiting(run) && run.expiresAt !== null && run.expiresAt <= at
    ? stop(
        { files, run },
        {
          code: "EXPIRED-E0001",
          message: `Stopped after waiting since ${instant(run.createdAt)}: the time to wait is over`,
          address: null
        },
        at
      )
    : null

/**
 * Fails a waiting run that should have started by now, held or not; answers `null` for any other run. One that has started
 * once is on time, however often it is tried again.
 */
export const miss = ({ files, run }: Ending, at: number): Change<Run.EndedRun> | null => {
  if (!Run.isWaiting(run) || run.startBy === null || !Run.isTooLate(run, at)) return null
  const message = `Not started: it had to start before ${instant(run.startBy)}, and has waited since ${instant(run.createdAt)}`
  return end({ files, run }, "execution.failed", at, { errors: [Run.failure(run, "EXPIRED-E0002", message, at)] })
}

/**
 * Stops a waiting run that needs the very credential that another run could not sign in with; answers `null` for a run
 * that has others to choose from.
 */
export const stopAfter = (
  ending: Ending<Run.WaitingRun>,
  { permissionedUserId, domain, runId }: Slots.FailedLogin & { readonly runId: RunId },
  at: number
): Change<Run.EndedRun> | null => {
  if (!Slots.isOnly(ending.run.credentials, permissionedUserId)) return null
  const message = `Stopped before it started: run ${runId} could not sign in with the credential of "${permissionedUserId}" for "${domain}"`
  return stop(ending, { code: "INTERRUPTED-E0002", message, address: null, runId }, at)
}

/** Stops a waiting run whose workflow was deleted; answers `null` for any other run. */
export const orphan = ({ files, gate, run }: LockedRun, at: number): Change<Run.EndedRun> | null =>
  Run.isWaiting(run) && gate.removedAt !== null
    ? stop(
        { files, run },
        { code: "WORKFLOW_DELETED", message: "Stopped before it started: its workflow was deleted", address: null },
        at
      )
    : null

/**
 * Ends runs that no request ends: one whose lease has expired is abandoned, one that waited too long expires, one that has
 * not started in time fails, one that waits for a deleted workflow is stopped. Returns `null` for every other run.
 */
export const reap = (locked: LockedRun, at: number): Change<Run.WaitingRun | Run.EndedRun> | null => {
  const { run } = locked
  return Run.isRunning(run) && run.lease.until <= at
    ? abandon({ ...locked, run }, at)
    : (orphan(locked, at) ?? miss(locked, at) ?? expire(locked, at))
}

/**
 * Decides what becomes of a run whose worker died or gave it up.
 *
 * It is tried again when it had not acted on the site yet, or when the workflow allows another retry and the attempt
 * passed no node marked as not repeatable. Otherwise it fails with `RUNNER_LOST`. An attempt that never acted costs no retry
 * and waits no time; but a run that lost its worker ten times is taken to be what kills it, and fails.
 */
export const abandon = (
  { files, gate, run }: LockedRun<Run.RunningRun>,
  at: number
): Change<Run.WaitingRun | Run.EndedRun> => {
  if (!run.progress.acted && run.attempts < maxAttempts)
    return requeue(run, gate, { retries: run.retries, delayMillis: 0 }, at)
  const mayRetry = run.attempts < maxAttempts && run.retries < run.maxRetries && !run.progress.committed
  return mayRetry
    ? requeue(run, gate, { retries: run.retries + 1, delayMillis: retryDelayMillis(run.retries) }, at)
    : end({ files, run }, "execution.failed", at, {
        errors: [Run.failure(run, "RUNNER_LOST", "The worker that executed the run was lost", at)]
      })
}

/** The events of a waiting run that its gate holds at `at`; none if it does not. */
export const pausedEvents = (run: Run.Run, gate: Gate.Gate, at: number): ReadonlyArray<RunEvent> => {
  const hold = Gate.holds(Gate.past(gate, run.release), at)[0]
  if (hold === undefined) return []
  const nextOpenAt = Gate.windowState(gate, at)?.nextOpenAt ?? null
  return [{ event: "execution.paused", ...ids(run), reason: hold.kind, message: hold.reason, nextOpenAt }]
}

const maxAttempts = 10

/** How long the retry after `retries` earlier ones is put off: 5 s, doubled each time, at most 15 minutes. */
const retryDelayMillis = (retries: number): number => Math.min(5_000 * 2 ** Math.min(retries, 16), 900_000)

const untouched: Run.Progress = { acted: false, committed: false, mark: null }

const ids = (run: Run.Run) => ({ runId: run.id, workflowId: run.workflowId })

const requeue = (
  run: Run.RunningRun,
  gate: Gate.Gate,
  next: { readonly retries: number; readonly delayMillis: number },
  at: number
): Change<Run.WaitingRun> => {
  const notBefore = at + next.delayMillis
  const waiting: Run.WaitingRun = {
    ...run,
    status: "execution.requeued",
    credentials: run.credentials.map(Slots.unassigned),
    lease: null,
    retries: next.retries,
    notBefore
  }
  const requeued: RunEvent = {
    event: "execution.requeued",
    ...ids(run),
    retries: next.retries,
    maxRetries: run.maxRetries,
    notBefore,
    delayMillis: next.delayMillis
  }
  return { run: waiting, events: [requeued, ...pausedEvents(waiting, gate, at)] }
}

/** A run that has not ended yet. */
type Unended = Run.WaitingRun | Run.RunningRun

const stop = (ending: Ending<Unended>, { address, code, message, runId }: Reason, at: number): Change<Run.EndedRun> => {
  const failure = { ...Run.failure(ending.run, code, message, at), address }
  return end(ending, "execution.stopped", at, { errors: [failure] }, runId)
}

const end = (
  { files, run }: Ending<Unended>,
  status: typeof Run.Ended.Type,
  at: number,
  {
    data = run.data,
    errors,
    warnings = RunWarning.none
  }: {
    readonly data?: Schema.Json
    readonly errors: ReadonlyArray<RunFailure>
    readonly warnings?: RunWarning.RunWarnings
  },
  causedBy?: RunId
): Change<Run.EndedRun> => {
  const ended: Run.EndedRun = {
    ...run,
    status,
    credentials: Slots.released(run.credentials),
    endedAt: at,
    lease: null,
    data,
    errors: [...run.errors, ...errors],
    warnings: warnings.kept.slice(0, RunWarning.mostKept),
    warningCount: warnings.count
  }
  const facts = {
    ...ids(ended),
    data: ended.data,
    inputs: ended.input,
    credentials: ended.credentials.map(useOf),
    errors: ended.errors,
    files,
    ...(ended.warningCount === 0 ? {} : { warnings: ended.warnings, warningCount: ended.warningCount })
  }
  const outcome = outcomeOf(ended)
  const event: EndEvent =
    outcome === null
      ? { event: "execution.success", ...facts }
      : status === "execution.stopped" && causedBy !== undefined
        ? { event: status, ...facts, outcome, causedBy }
        : { event: status, ...facts, outcome }
  return { run: ended, events: [event] }
}

/** The certainty of the effects of an ended run; `null` for one that succeeded, or has not ended. */
export const outcomeOf = ({
  progress,
  status
}: Run.Run): NonNullable<RunEventOf<"execution.failed">["outcome"]> | null =>
  status === "execution.failed" || status === "execution.stopped"
    ? { certainty: OutcomeCertainty.of(progress), mark: progress.mark }
    : null

const instant = (at: number): string => new Date(at).toISOString()
