/**
 * Why a run started when it did: the state of the gate that let it start, as of the instant of the start.
 *
 * A start is stored in the transaction that starts the run. It can be judged later by the same pure evaluation of windows
 * that let the run start, from what is stored beside it.
 */
import { Schema } from "effect"
import * as Gate from "../../gate/Gate.ts"
import * as RunWindow from "../../window/RunWindow.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"
import type { RunningRun } from "../Run.ts"

/** A user's decision that let one run start past its gate. */
export const Release = Schema.Struct({ at: Schema.Finite, by: Schema.String })
export type Release = typeof Release.Type

export interface Start {
  readonly runId: RunId
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The instant of the start, in epoch milliseconds of the clock of the database. */
  readonly at: number
  readonly worker: string
  readonly gateRevision: number
  /** The revision of the run window; 0 where the workflow never had one. */
  readonly windowRevision: number
  /** The SHA-256 of the definition of the window, in lower-case hexadecimal; `null` without a window. */
  readonly windowHash: string | null
  /** The lift that was in force. */
  readonly lift: Gate.Lift | null
  /** The release of the run, where its gate alone would have held it. */
  readonly release: Release | null
  /** The version of the time zone data that the window was evaluated with. */
  readonly zoneData: string
}

/** The facts of a start that its run and gate do not say. */
export interface Circumstances {
  readonly at: number
  readonly windowHash: string | null
  readonly zoneData: string
  /** Whether the gate alone let the run start, without a release. */
  readonly isOpen: boolean
}

export const of = (run: RunningRun, gate: Gate.Gate, { at, isOpen, windowHash, zoneData }: Circumstances): Start => {
  const { lift } = Gate.inForce(gate, at)
  const { release: released } = run
  return {
    runId: run.id,
    workspaceId: run.workspaceId,
    workflowId: run.workflowId,
    attempt: run.attempts,
    at,
    worker: run.lease.worker,
    gateRevision: gate.revision,
    windowRevision: gate.windowRevision,
    windowHash,
    lift: lift === null ? null : { since: lift.since, by: lift.by },
    release: released === null || isOpen ? null : { at: released.at, by: released.by },
    zoneData
  }
}

/** What let a run start. */
export type Reason = "no_run_window" | "run_window_open" | "lift" | "release"

export const reasonOf = ({ lift, release, windowHash }: Start): Reason => {
  if (release !== null) return "release"
  if (windowHash === null) return "no_run_window"
  return lift === null ? "run_window_open" : "lift"
}

/** A window that a workflow had, as it was stored when it was set; without a definition where it was removed. */
export interface WindowRevision {
  readonly workflowId: string
  readonly revision: number
  readonly definition: string | null
  /** The SHA-256 of the definition as it is stored now. */
  readonly hash: string | null
  readonly setAt: number | null
}

/** What is stored beside a start, by which it is judged. */
export interface Evidence {
  /** All windows that the workflow had. */
  readonly windows: ReadonlyArray<WindowRevision>
  /** The instants at which the log of events says that the run started. */
  readonly startedAt: ReadonlyArray<number>
  /** The instants of the lifts of the workflow that the audit trail names. */
  readonly lifts: ReadonlyArray<number>
  /** The instants at which the log of events says that the run was released. */
  readonly releases: ReadonlyArray<number>
}

/** The part of the evidence that says something about a start: as much is judged the same. */
export const relevant = (start: Start, evidence: Evidence): Evidence => ({
  windows: evidence.windows.filter(
    ({ revision }) => revision === start.windowRevision || revision === start.windowRevision + 1
  ),
  startedAt: evidence.startedAt.filter((at) => at === start.at),
  lifts: evidence.lifts.filter((since) => since === start.lift?.since),
  releases: evidence.releases.filter((at) => at === start.release?.at)
})

/** Everything that is wrong with a start, in sentences; empty where it holds. */
export const judge = (start: Start, evidence: Evidence): ReadonlyArray<string> => {
  const { at, lift, release, windowRevision } = start
  const problems: Array<string> = []
  if (!evidence.startedAt.includes(at)) problems.push(`the events of the run name no start at ${iso(at)}`)
  const window = evidence.windows.find(({ revision }) => revision === windowRevision)
  const next = evidence.windows.find(({ revision }) => revision === windowRevision + 1)
  if (windowRevision > 0 && window === undefined) {
    return [...problems, `revision ${windowRevision} of the run window is not stored`]
  }
  if ((window?.hash ?? null) !== start.windowHash) {
    problems.push(`the definition of revision ${windowRevision} of the run window has another hash`)
  }
  if (window?.setAt != null && at < window.setAt) {
    problems.push(`revision ${windowRevision} of the run window was set later, at ${iso(window.setAt)}`)
  }
  if (next?.setAt != null && at > next.setAt) {
    problems.push(`revision ${next.revision} of the run window was set before, at ${iso(next.setAt)}`)
  }
  if (lift !== null && !evidence.lifts.includes(lift.since)) {
    problems.push(`the audit trail names no lift at ${iso(lift.since)}`)
  }
  if (release !== null) {
    if (!evidence.releases.includes(release.at)) {
      problems.push(`the events of the run name no release at ${iso(release.at)}`)
    }
    if (release.at > at) problems.push(`it was released later, at ${iso(release.at)}`)
    return problems
  }
  const runWindow = window?.definition == null ? null : RunWindow.stored(JSON.parse(window.definition))
  if (!Gate.mayStart({ ...Gate.open, runWindow, lift }, at)) {
    problems.push(`the run window was closed at ${iso(at)}${lift === null ? "" : ", and the lift was over"}`)
  }
  return problems
}

const iso = (at: number): string => new Date(at).toISOString()
