/**
 * The public events of a run: their kinds, and the facts of each.
 *
 * Events of one run are appended to one log, in order, and never changed. The log feeds the record of the run, its
 * stream and its webhooks; `EventJson` has the form in which these send them. Events contain no secret. Instants are
 * epoch milliseconds.
 */
import { Schema } from "effect"
import { LoopTurn } from "./LoopTurn.ts"
import { Certainty, Mark } from "./OutcomeCertainty.ts"
import { RunFailure } from "./RunFailure.ts"
import { RunWarning } from "./RunWarning.ts"

/** A file that a run has produced. */
export const RunFile = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  at: Schema.Finite,
  metadata: Schema.JsonObject
})
export type RunFile = typeof RunFile.Type

/** A credential that a run used. `chosen` is the member of the pool that it used; `null` if none was chosen. */
export const CredentialUse = Schema.Struct({
  alias: Schema.String,
  permissionedUserIds: Schema.Array(Schema.String),
  chosen: Schema.NullOr(Schema.String),
  domain: Schema.String
})
export type CredentialUse = typeof CredentialUse.Type

/** Why a running run asks for inputs. */
export const InputReason = Schema.Literals([
  "input_required",
  "incorrect_form_input",
  "multiple_matching_results",
  "non_dismissible_popup"
])

/** A pop-up of which every option is a decision, and its options. */
export const OpenPopup = Schema.Struct({
  description: Schema.String,
  subType: Schema.String,
  address: Schema.String,
  actions: Schema.Array(Schema.Struct({ id: Schema.String, label: Schema.String })),
  attempt: Schema.Int,
  maxAttempts: Schema.Int
})
export type OpenPopup = typeof OpenPopup.Type

const ofRun = {
  runId: Schema.String,
  workflowId: Schema.String,
  /** The fields that were shortened, because the event exceeded `EventBounds`. */
  leftOut: Schema.optionalKey(Schema.Array(Schema.String))
}

const ended = {
  ...ofRun,
  data: Schema.Json,
  inputs: Schema.JsonObject,
  credentials: Schema.Array(CredentialUse),
  errors: Schema.Array(RunFailure),
  /** Oldest first. */
  files: Schema.Array(RunFile),
  /** Present where a step was unsure of something: the first of these warnings, and how many there were. */
  warnings: Schema.optionalKey(Schema.Array(RunWarning)),
  warningCount: Schema.optionalKey(Schema.Int)
}

/** The certainty of the effects of a run that did not succeed, with its last mark. Older events do not have it. */
const outcome = {
  outcome: Schema.optionalKey(Schema.Struct({ certainty: Certainty, mark: Schema.NullOr(Mark) }))
}

/** An act that waits for an approval, and once it is decided, by whom and how. */
export const AskedApproval = Schema.Struct({
  by: Schema.Literals(["Member", "Owner"]),
  digest: Schema.String,
  change: Schema.NullOr(Schema.String),
  decision: Schema.optionalKey(
    Schema.Struct({ approved: Schema.Boolean, reason: Schema.NullOr(Schema.String), userId: Schema.String })
  )
})
export type AskedApproval = typeof AskedApproval.Type

const question = {
  ...ofRun,
  step: Schema.String,
  missingProperties: Schema.Array(Schema.String),
  /** The schema of the answer. */
  schema: Schema.JsonObject,
  message: Schema.String,
  /** Present where the question is for an approval. */
  approval: Schema.optionalKey(AskedApproval)
}

/** The turns of the loops around a step, the outermost first. Absent outside of loops, and in older events. */
const loops = Schema.optionalKey(Schema.Array(LoopTurn))

/** The instant at which an event expires, for kinds that have one. */
const expiresAt = Schema.optionalKey(Schema.Finite)

/** One event: what happened, to which run, and the facts that belong to it. */
export const RunEvent = Schema.Union([
  Schema.Struct({ event: Schema.Literal("execution.queued"), ...ofRun }),
  Schema.Struct({
    event: Schema.Literal("execution.paused"),
    ...ofRun,
    reason: Schema.Literals(["run_window", "manual"]),
    message: Schema.String,
    nextOpenAt: Schema.NullOr(Schema.Finite)
  }),
  /** A user lets the waiting run start now, past the run window, and past a manual pause if `pastPause` is set. */
  Schema.Struct({
    event: Schema.Literal("execution.released"),
    ...ofRun,
    by: Schema.String,
    pastPause: Schema.Boolean
  }),
  /** An edit holds the waiting runs of a workflow. `runId` is the latest of them. With `atLeast`, there are more. */
  Schema.Struct({
    event: Schema.Literal("workflow.paused"),
    ...ofRun,
    reason: Schema.Literals(["run_window", "manual"]),
    message: Schema.String,
    nextOpenAt: Schema.NullOr(Schema.Finite),
    heldRuns: Schema.Int,
    atLeast: Schema.Boolean
  }),
  /** The canary of a workflow has ended by what its runs did, or by a user. `runId` is the last ended run of its version. */
  Schema.Struct({
    event: Schema.Literal("workflow.canary"),
    ...ofRun,
    state: Schema.Literals(["promoted", "stopped"]),
    reason: Schema.String,
    version: Schema.Int,
    base: Schema.Int,
    /** The version that has the former content again. */
    restored: Schema.NullOr(Schema.Int)
  }),
  Schema.Struct({ event: Schema.Literal("execution.start"), ...ofRun }),
  Schema.Struct({
    event: Schema.Literal("execution.step"),
    ...ofRun,
    step: Schema.String,
    next: Schema.NullOr(Schema.String),
    loops
  }),
  /** A step was skipped, because its condition (`run_if`) did not hold. It has no other event. */
  Schema.Struct({
    event: Schema.Literal("execution.step_skipped"),
    ...ofRun,
    step: Schema.String,
    nodeId: Schema.String,
    loops
  }),
  Schema.Struct({
    event: Schema.Literal("execution.requeued"),
    ...ofRun,
    retries: Schema.Int,
    maxRetries: Schema.Int,
    notBefore: Schema.Finite,
    delayMillis: Schema.Int
  }),
  Schema.Struct({
    event: Schema.Literal("screenshot.uploaded"),
    ...ofRun,
    screenshotId: Schema.String,
    node: Schema.Struct({ id: Schema.String, name: Schema.String }),
    at: Schema.Finite,
    ofError: Schema.Boolean,
    fullPage: Schema.Boolean,
    retries: Schema.Int,
    metadata: Schema.JsonObject
  }),
  /** The video of an attempt. `at` is its end. */
  Schema.Struct({ event: Schema.Literal("video.uploaded"), ...ofRun, videoId: Schema.String, at: Schema.Finite }),
  /** A person has taken or released control of the browser of the run. Their gestures are not reported. */
  Schema.Struct({ event: Schema.Literal("control.taken"), ...ofRun, userId: Schema.String, at: Schema.Finite }),
  Schema.Struct({
    event: Schema.Literal("control.returned"),
    ...ofRun,
    userId: Schema.String,
    at: Schema.Finite,
    reason: Schema.Literals(["released", "timeout", "ended"])
  }),
  Schema.Struct({ event: Schema.Literal("file.uploaded"), ...ofRun, file: RunFile }),
  Schema.Struct({ event: Schema.Literal("interaction.waiting"), ...question, expiresAt }),
  Schema.Struct({ event: Schema.Literal("interaction.finished"), ...question }),
  Schema.Struct({
    event: Schema.Literal("interaction.failed"),
    ...ofRun,
    step: Schema.String,
    message: Schema.String,
    reason: Schema.Literals(["timeout", "interrupted"])
  }),
  Schema.Struct({
    event: Schema.Literal("execution.input_required"),
    ...ofRun,
    step: Schema.String,
    message: Schema.String,
    inputs: Schema.JsonObject,
    screenshotId: Schema.NullOr(Schema.String),
    reason: InputReason,
    /** The pop-up that a person is to decide about. */
    popup: Schema.optionalKey(OpenPopup),
    expiresAt
  }),
  Schema.Struct({
    event: Schema.Literal("agent.error_analysis"),
    ...ofRun,
    /** The error that was recovered from, or was not. */
    errorId: Schema.String,
    node: Schema.Struct({ id: Schema.String, name: Schema.String }),
    /** The reason given by a model; `null` where none was asked. */
    analysis: Schema.NullOr(Schema.String),
    rootCause: Schema.String,
    category: Schema.String,
    subType: Schema.NullOr(Schema.String),
    /** Which kind of recovery it was, and what it did. */
    recovery: Schema.String,
    remedy: Schema.String,
    outcome: Schema.Literals(["success", "failure"]),
    /** The dismissal of a pop-up. */
    popup: Schema.optionalKey(
      Schema.Struct({
        phase: Schema.Literals(["modal_decision_dispatched", "popup_dismiss_verified"]),
        signature: Schema.String,
        action: Schema.NullOr(Schema.String),
        label: Schema.NullOr(Schema.String),
        responseMillis: Schema.NullOr(Schema.Int),
        host: Schema.NullOr(Schema.String)
      })
    )
  }),
  Schema.Struct({ event: Schema.Literal("execution.success"), ...ended }),
  Schema.Struct({ event: Schema.Literal("execution.failed"), ...ended, ...outcome }),
  /** `causedBy` is the run whose failed login stopped this one, where that is why. */
  Schema.Struct({
    event: Schema.Literal("execution.stopped"),
    ...ended,
    ...outcome,
    causedBy: Schema.optionalKey(Schema.String)
  })
])
export type RunEvent = typeof RunEvent.Type

/** The event of one kind, or of one of several kinds. */
export type RunEventOf<Kind extends RunEvent["event"]> = Extract<RunEvent, { readonly event: Kind }>

/** An event as the log keeps it. `sequence` grows along the log; events of one run are in its order. */
export interface LoggedEvent {
  readonly sequence: number
  readonly runId: string
  readonly at: number
  readonly event: RunEvent
}

/** The event of a run that has ended. */
export type EndEvent = RunEventOf<"execution.success" | "execution.failed" | "execution.stopped">

/** Returns whether a run has ended with this event. */
export const isLast = (event: RunEvent): event is EndEvent =>
  event.event === "execution.success" || event.event === "execution.failed" || event.event === "execution.stopped"

/** Whether an event is about its run, and not about the workflow: only such ones are in streams and records of runs. */
export const isOfRun = ({ event }: Pick<LoggedEvent, "event">): boolean => !event.event.startsWith("workflow.")

/** The file that an event reports; none for any other event. */
export const fileOf = (event: RunEvent): ReadonlyArray<RunFile> => (event.event === "file.uploaded" ? [event.file] : [])

/** The instant at which an event expires; `null` for kinds that do not expire. */
export const expiryOf = (event: RunEvent): number | null => ("expiresAt" in event ? (event.expiresAt ?? null) : null)
