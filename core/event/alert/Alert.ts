/**
 * A message to people about runs: what is gathered in it, when it is due, and when it is given up.
 *
 * ```
 *   gathering -- due --> sending -- taken --> sent
 *    '-- alike --'        |  ^ '-- refused, no attempts left --> failed
 *                         '--' retry
 * ```
 *
 * What has the same cause is gathered in one alert until that is due. What comes later goes into the next one, which is due
 * once the pause of its receiver is over. Instants are epoch milliseconds.
 */
import { Schema } from "effect"
import { WorkspaceId } from "../../workspace/Ids.ts"
import { pauseAfter } from "../webhook/Delivery.ts"
import * as QuietHours from "./QuietHours.ts"

/** What alerts are about: runs that failed, that wait for a person, and that could not start in time. */
export const AlertKind = Schema.Literals(["failed", "person_needed", "not_started"])
export type AlertKind = typeof AlertKind.Type

export const AlertStatus = Schema.Literals(["gathering", "sending", "sent", "failed"])
export type AlertStatus = typeof AlertStatus.Type

export const Alert = Schema.Struct({
  id: Schema.String,
  workspaceId: WorkspaceId,
  receiverId: Schema.String,
  kind: AlertKind,
  /** Equal for what is gathered in one alert. */
  cause: Schema.String,
  workflowId: Schema.String,
  workflowName: Schema.String,
  /** What the first of them said; `null` once it is settled. */
  text: Schema.NullOr(Schema.String),
  /** The first runs that it is about, and how often it happened. */
  runIds: Schema.Array(Schema.String),
  count: Schema.Int,
  status: AlertStatus,
  attempts: Schema.Int,
  /** When it is due; `null` once it is settled. */
  nextAttemptAt: Schema.NullOr(Schema.Finite),
  /** Oldest first. */
  errors: Schema.Array(Schema.String),
  /** When the first and the last of what it is about happened. */
  firstAt: Schema.Finite,
  lastAt: Schema.Finite,
  settledAt: Schema.NullOr(Schema.Finite)
})
export type Alert = typeof Alert.Type

/** Something that people are told of. */
export interface Occurrence {
  readonly kind: AlertKind
  readonly cause: string
  readonly workflowId: string
  readonly runId: string
  readonly text: string
  readonly at: number
}

/** The result of an attempt. */
export type AlertOutcome =
  | { readonly _tag: "Sent" }
  /** It may succeed later. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** It was not sent, as it must not be. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** How many runs an alert names. */
export const mostRuns = 10

/** What decides when the alerts of a receiver are due. */
export interface Timing {
  readonly urgent: ReadonlyArray<AlertKind>
  readonly quiet: QuietHours.QuietHours | null
  readonly gatherSeconds: number
  readonly pauseSeconds: number
}

/** The first instant from `at` on at which a receiver may be told of something of this kind. */
export const allowedFrom = (
  { quiet, urgent }: Pick<Timing, "urgent" | "quiet">,
  kind: AlertKind,
  at: number
): number => (urgent.includes(kind) ? at : QuietHours.endAfter(quiet, at))

/** The alert that has one more occurrence: the latest one of its cause while that is gathering, or a new one. */
export const gather = (
  latest: Alert | null,
  occurrence: Occurrence,
  timing: Timing,
  fresh: Pick<Alert, "id" | "workspaceId" | "receiverId" | "workflowName">
): Alert => {
  const { at, cause, kind, runId, text, workflowId } = occurrence
  if (latest?.status === "gathering") {
    return {
      ...latest,
      count: latest.count + 1,
      runIds: latest.runIds.includes(runId) ? latest.runIds : [...latest.runIds, runId].slice(0, mostRuns),
      lastAt: Math.max(latest.lastAt, at)
    }
  }
  const after = latest === null ? at : (latest.settledAt ?? latest.lastAt) + timing.pauseSeconds * 1_000
  const due = Math.max(at + timing.gatherSeconds * 1_000, after)
  return {
    ...fresh,
    kind,
    cause,
    workflowId,
    text,
    runIds: [runId],
    count: 1,
    status: "gathering",
    attempts: 0,
    nextAttemptAt: allowedFrom(timing, kind, due),
    errors: [],
    firstAt: at,
    lastAt: at,
    settledAt: null
  }
}

/** An alert that is handed out gathers nothing more. */
export const taken = (before: Alert): Alert => ({ ...before, status: "sending" })

/** Puts an alert off without an attempt. */
export const putOff = (before: Alert, until: number): Alert => ({ ...before, nextAttemptAt: until })

/** The state after an attempt that ended at `at`. `jitter` is from 0 to 1. */
export const attempted = (
  before: Alert,
  outcome: AlertOutcome,
  timing: Pick<Timing, "urgent" | "quiet">,
  at: number,
  jitter: number
): Alert => {
  const tried = { ...before, attempts: before.attempts + 1 }
  if (outcome._tag === "Sent") return { ...tried, status: "sent", nextAttemptAt: null, text: null, settledAt: at }
  const pause = outcome._tag === "Refused" ? null : pauseAfter(tried.attempts, jitter)
  if (pause === null) return failed(tried, outcome.reason, at)
  return {
    ...withError(tried, outcome.reason, at),
    nextAttemptAt: allowedFrom(timing, before.kind, at + pause)
  }
}

/** Gives an alert up. */
export const failed = (before: Alert, reason: string, at: number): Alert => ({
  ...withError(before, reason, at),
  status: "failed",
  nextAttemptAt: null,
  text: null,
  settledAt: at
})

const withError = (before: Alert, reason: string, at: number): Alert => ({
  ...before,
  errors: [...before.errors, `${new Date(at).toISOString()} ${reason}`]
})
