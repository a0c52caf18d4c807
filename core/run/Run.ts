/**
 * The life of one execution of a workflow, from its submission to its end.
 *
 * ```
 *            submit                claim                 finish
 *   (new) ----------> queued ----------------> start ----------------> success | failed
 *                       |   ^                    |  \
 *                       |   '--- requeued <------'   '---------------> stopped
 *                       '-------------------------- interrupt, expire -----^
 * ```
 *
 * A waiting run (queued or requeued) that its gate does not let start reads as `execution.paused`; that is never
 * stored. A run that has ended never changes again. Instants are epoch milliseconds.
 */
import { Schema } from "effect"
import type { Mark } from "../event/OutcomeCertainty.ts"
import * as RunFailure from "../event/RunFailure.ts"
import type { RunWarning } from "../event/RunWarning.ts"
import * as Forecast from "../gate/Forecast.ts"
import * as Gate from "../gate/Gate.ts"
import type { Workers } from "../gate/WorkerCapacity.ts"
import { Arm } from "../workflow/canary/Canary.ts"
import type { RunId, VersionId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"
import { type Caller, programKeyOf } from "../workspace/Workspace.ts"
import type { Credential } from "./CredentialReferences.ts"

export const Waiting = Schema.Literals(["execution.queued", "execution.requeued"])
export const Ended = Schema.Literals(["execution.success", "execution.failed", "execution.stopped"])

/** The stored status of a run. */
export const StoredStatus = Schema.Literals([...Waiting.literals, "execution.start", ...Ended.literals])
export type StoredStatus = typeof StoredStatus.Type

/** The status of a run as it reads: a waiting run of a closed gate is `execution.paused`. */
export const Status = Schema.Literals([...StoredStatus.literals, "execution.paused"])
export type Status = typeof Status.Type

/** What submitted a run. */
export const Trigger = Schema.Literals(["api", "schedule", "retry", "batch", "builder", "inbound", "check"])
export type Trigger = typeof Trigger.Type

/** Maximum number of characters of a reference. */
export const mostOfReference = 200

/** A caller's own id of a run. */
export const Reference = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}\s](?:[^\p{Cc}\p{Cs}]{0,198}[^\p{Cc}\p{Cs}\s])?$/u, {
    message: `Expected 1 to ${mostOfReference} characters without control characters, and no space at the ends`
  })
)

export const lowestPriority = -10
export const highestPriority = 10

/** The options of a submission beside its input. */
export const Options = Schema.Struct({
  /** Ends the run before the node that is marked for it; `addToOutput` is merged into its output. */
  dryRun: Schema.optionalKey(Schema.Struct({ enabled: Schema.Boolean, addToOutput: Schema.optionalKey(Schema.Json) })),
  /** Present for a check: the alias of the credential that the run only signs in with. */
  check: Schema.optionalKey(Schema.Struct({ alias: Schema.String })),
  /** The client whose stream carries the events of the run. */
  clientId: Schema.optionalKey(Schema.String),
  debug: Schema.optionalKey(Schema.Boolean),
  /** The caller's own id of the run. A retry has that of the run that it repeats. */
  reference: Schema.optionalKey(Reference),
  /** Whether no other run of the workspace may ask for the same reference. */
  isReferenceUnique: Schema.optionalKey(Schema.Boolean),
  /** As it was sent. */
  webhook: Schema.optionalKey(Schema.Json),
  /** As it was sent. */
  additionalContext: Schema.optionalKey(Schema.Json),
  /** As it was sent. */
  notifications: Schema.optionalKey(Schema.Json),
  /** Which version of a running canary it got. */
  canary: Schema.optionalKey(Arm),
  /** The schedule that submitted the run, and the instant that it was scheduled for. */
  schedule: Schema.optionalKey(Schema.Struct({ id: Schema.String, at: Schema.Finite })),
  /** The position of the submission in its trace, as a `traceparent` of W3C Trace Context. */
  traceparent: Schema.optionalKey(Schema.String),
  /** The id of the request that submitted it. */
  requestId: Schema.optionalKey(Schema.String),
  /** The key of the program that submitted or repeated it. A person who is signed in to the console is none. */
  submittedBy: Schema.optionalKey(Schema.String)
})
export type Options = typeof Options.Type

/** Who submits a run, as its options keep it. */
export const submittedBy = (caller: Pick<Caller, "keyId" | "signedIn">): Pick<Options, "submittedBy"> => {
  const keyId = programKeyOf(caller)
  return keyId === null ? {} : { submittedBy: keyId }
}

/** What a submission decides about its run, beside the workflow and the input. */
export interface Terms {
  readonly options: Options
  readonly trigger: Trigger
  /** Words by which users find it, each once. */
  readonly tags: ReadonlyArray<string>
  /** From `lowestPriority` to `highestPriority`: of the waiting runs of one workflow a higher one starts first. */
  readonly priority: number
  /** A run that has not started for the first time before this instant fails; `null`: it may start at any time. */
  readonly startBy: number | null
}

/** The terms that a submission leaves out. */
export const defaultTerms: Terms = { options: {}, trigger: "api", tags: [], priority: 0, startBy: null }

/** A worker's right to execute a run. Of two leases of one run, the one with the higher fence is the later. */
export interface Lease {
  readonly worker: string
  readonly fence: number
  readonly until: number
}

/** The progress of an attempt that decides whether it may be repeated. */
export interface Progress {
  /** It did something on the site that a second attempt would do again. */
  readonly acted: boolean
  /** It passed a node marked as not repeatable. */
  readonly committed: boolean
  /** The last mark of all attempts of the run. */
  readonly mark: Mark | null
}

/** The ended run that a new run repeats, and who asked for it. */
export interface Retry {
  readonly of: RunId
  readonly by: string
  /** Why what should not be repeated is repeated; `null` where nothing spoke against it. */
  readonly reason: string | null
}

/** The fields of a run in each of its states. */
interface RunFacts extends Terms {
  readonly id: RunId
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  /** The version fixed at submission: later edits of the workflow do not change this run. */
  readonly versionId: VersionId
  readonly input: Schema.JsonObject
  /** The credentials that its input refers to, fixed at submission. */
  readonly credentials: ReadonlyArray<Credential>
  readonly createdAt: number
  /** How often a worker has started it. */
  readonly attempts: number
  /** How many of its workflow's retries it has used. */
  readonly retries: number
  readonly maxRetries: number
  /** A waiting run is not claimed before this instant. */
  readonly notBefore: number
  /** A run still waiting at this instant is stopped; `null`: without limit. */
  readonly expiresAt: number | null
  /** The ended run that it repeats, if it is a retry. */
  readonly retry: Retry | null
  /** The decision that it starts past the run window, if a user made one. */
  readonly release: Gate.Release | null
  readonly progress: Progress
  readonly data: Schema.Json
  /** The failures of all its attempts, oldest first. */
  readonly errors: ReadonlyArray<RunFailure.RunFailure>
  /** What the steps of the attempt that ended it were unsure of, oldest first: at most 100. */
  readonly warnings: ReadonlyArray<RunWarning>
  /** How many of them there were. */
  readonly warningCount: number
  /** The model calls of all its attempts. */
  readonly modelCalls: ModelCalls
}

/** How many answers of a model a run used, and how many of its steps were done by a plain form in place of a model. */
export const ModelCalls = Schema.Struct({ spent: Schema.Int, saved: Schema.Int })
export type ModelCalls = typeof ModelCalls.Type

export const noModelCalls: ModelCalls = { spent: 0, saved: 0 }

/** A run that waits for its first start, or to be tried again. `startedAt` is the start of its first attempt. */
export interface WaitingRun extends RunFacts {
  readonly status: typeof Waiting.Type
  readonly startedAt: number | null
  readonly endedAt: null
  readonly lease: null
}

/** A run that a worker executes under a lease. */
export interface RunningRun extends RunFacts {
  readonly status: "execution.start"
  readonly startedAt: number
  readonly endedAt: null
  readonly lease: Lease
}

/** A run that has ended and never changes again. `startedAt` is `null` if it was stopped before its first start. */
export interface EndedRun extends RunFacts {
  readonly status: typeof Ended.Type
  readonly startedAt: number | null
  readonly endedAt: number
  readonly lease: null
}

export type Run = WaitingRun | RunningRun | EndedRun

/** The reference that a run has to itself; `null` for none. A retry shares the one of its run. */
export const ownReference = ({ options, retry }: Pick<Run, "options" | "retry">): string | null =>
  options.isReferenceUnique === true && retry === null ? (options.reference ?? null) : null

/** Whether the instant by which a waiting run must have started has passed without a start. */
export const isTooLate = (run: Pick<Run, "startBy" | "startedAt">, at: number): boolean =>
  run.startedAt === null && run.startBy !== null && run.startBy <= at

/** The order in which the waiting runs of one workflow start, where earlier submissions stand before later ones. */
export const byPriority = (one: Pick<Run, "priority">, other: Pick<Run, "priority">): number =>
  other.priority - one.priority

/** A run as a store holds it: the fields of all states side by side. */
export interface StoredRun extends RunFacts {
  readonly status: StoredStatus
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly lease: Lease | null
}

/** The run that a store holds. Fields that contradict its status are a defect of the store, and thrown as one. */
export const fromStored = (stored: StoredRun): Run => {
  const { endedAt, lease, startedAt, status } = stored
  if (isOf(Waiting, status)) {
    if (lease === null && endedAt === null) return { ...stored, status, endedAt, lease }
  } else if (isOf(Ended, status)) {
    if (lease === null && endedAt !== null) return { ...stored, status, endedAt, lease }
  } else if (lease !== null && startedAt !== null && endedAt === null) {
    return { ...stored, status, startedAt, endedAt, lease }
  }
  const kept = `startedAt ${startedAt}, endedAt ${endedAt}, ${lease === null ? "no lease" : `a lease of ${lease.worker}`}`
  throw new Error(`Cannot read run ${stored.id}: its status ${status} contradicts ${kept}`)
}

const isOf = <S extends StoredStatus>(
  states: { readonly literals: ReadonlyArray<S> },
  status: StoredStatus
): status is S => states.literals.some((one) => one === status)

/** Returns whether a run waits to be started or to be tried again. */
export const isWaiting = (run: Run): run is WaitingRun => isOf(Waiting, run.status)

/** Returns whether a worker executes a run. */
export const isRunning = (run: Run): run is RunningRun => run.status === "execution.start"

/** Returns whether a run has ended, and so will never change again. */
export const isEnded = (run: Run): run is EndedRun => isOf(Ended, run.status)

/** The part of a run that decides which holds of its gate are in force on it. */
type Held = Pick<Run, "release" | "status">

/** The gate of a workflow as it holds one of its runs: what the release of the run passes does not count. */
const gateFor = (run: Held, gate: Gate.Gate): Gate.Gate => Gate.past(gate, run.release)

/** Returns whether no hold is in force on a run at `at`, given the gate of its workflow. */
export const mayStart = (run: Held, gate: Gate.Gate, at: number): boolean => Gate.mayStart(gateFor(run, gate), at)

/** The holds in force on a run at `at`; none for a run that does not wait. */
export const holds = (run: Held, gate: Gate.Gate, at: number): ReadonlyArray<Gate.Hold> =>
  isOf(Waiting, run.status) ? Gate.holds(gateFor(run, gate), at) : []

/** The status that a run reads as at `at`, given the gate of its workflow. */
export const statusAt = (run: Held, gate: Gate.Gate, at: number): Status =>
  isOf(Waiting, run.status) && !mayStart(run, gate, at) ? "execution.paused" : run.status

/**
 * The earliest instant at or after `at` at which a waiting run can start, by time alone; `null` when none is in sight
 * or the run does not wait.
 */
export const earliestStart = (run: Run, gate: Gate.Gate, at: number): number | null => {
  if (!isWaiting(run)) return null
  return Gate.startInterval(gateFor(run, gate), Math.max(at, run.notBefore))?.startsAt ?? null
}

/**
 * When a waiting run is likely to start by the pace of its workflow and the workers; `null` where that is not in sight.
 */
export const likelyStart = (
  run: Run,
  gate: Gate.Gate,
  queue: Forecast.Queue,
  workers: Workers | null,
  at: number
): Forecast.Start | null => {
  const start = Forecast.startOf(gateFor(run, gate), queue, workers, queue.ahead + 1, at)
  return start === null ? null : { ...start, at: Math.max(start.at, run.notBefore) }
}

/** The instant at which a waiting run that has not started by then ends; `null` where there is none. */
export const deadlineOf = ({
  expiresAt,
  startBy,
  startedAt
}: Pick<Run, "expiresAt" | "startBy" | "startedAt">): number | null => {
  const ends = [expiresAt, startedAt === null ? startBy : null].filter((instant) => instant !== null)
  return ends.length === 0 ? null : Math.min(...ends)
}

/** A failure of a run that no attempt reported itself. */
export const failure = (run: Run, code: string, message: string, at: number): RunFailure.RunFailure => ({
  ...RunFailure.of({ code, message }),
  id: `${run.id}.${run.errors.length + 1}`,
  at
})

/** Raised when a change is asked of a run that has ended. */
export class RunEnded extends Schema.TaggedError<RunEnded>()("RunEnded", {
  sessionId: Schema.String,
  status: Ended
}) {
  override get message() {
    return `Cannot change run "${this.sessionId}": it has ended with ${this.status}`
  }
}

/** Raised when a worker acts on a run whose lease is no longer its own. Its reports are refused. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  sessionId: Schema.String,
  fence: Schema.Int
}) {
  override get message() {
    return `Cannot continue run "${this.sessionId}": the lease with fence ${this.fence} is no longer its lease`
  }
}
