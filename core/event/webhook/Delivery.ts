/**
 * The delivery of one event to one target: when it is retried, and when it is given up.
 *
 * ```
 *   pending ---- 2xx ---------------------------> delivered
 *      |  ^                                           ^
 *      |  '-- anything else, put off -- retry --.     | replay
 *      '-- 410, refused, no attempts left ---> dead --'
 * ```
 *
 * Events of one run reach one target in order while first attempts succeed: an event is first sent when the one before
 * it was delivered, or has failed at least once. A failed delivery is retried separately, so that it does not delay the
 * others.
 */
import { Result, Schema } from "effect"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { LoggedEvent } from "../RunEvent.ts"

export const Status = Schema.Literals(["pending", "delivered", "dead"])
export type Status = typeof Status.Type

export interface State {
  readonly status: Status
  /** How often it was sent since it was made, or since a user last retried it. */
  readonly attempts: number
  /** When it is due; `null` when it waits for the event before it, or for nothing any more. */
  readonly nextAttemptAt: number | null
  /** How long the last attempt took. */
  readonly durationMillis: number | null
  /** The response to the last attempt; `null` when it was not answered. */
  readonly responseStatus: number | null
  /** The errors, oldest first. */
  readonly errors: ReadonlyArray<string>
}

export interface Delivery extends State {
  readonly id: string
  /** Grows with every delivery that is made. */
  readonly position: number
  readonly workspaceId: WorkspaceId
  /** The registered webhook; `null` for the one that the submission of the run named. */
  readonly webhookId: string | null
  readonly workflowId: string
  readonly url: string
  readonly logged: LoggedEvent
  /** The webhook options of the submission of the run. */
  readonly runWebhook: Schema.Json | null
  /** The position of the submission of the run in its trace; `null` where it has none. */
  readonly traceparent: string | null
  readonly createdAt: number
  /** When it began to be tried: when it was made, or when a user last retried it. */
  readonly since: number
}

/** The result of an attempt. */
export type Outcome =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly durationMillis: number
      /** The `Retry-After` of a 429 or 503, in milliseconds; `null` when the receiver sent none. */
      readonly retryAfterMillis: number | null
    }
  | {
      readonly _tag: "Unreachable"
      readonly reason: string
      readonly durationMillis: number
      /** `true` when the host took no connection, which holds for each of its addresses. */
      readonly isConnectionRefused?: boolean
    }
  /** It was not sent, as it must not be. */
  | { readonly _tag: "Refused"; readonly reason: string }

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/**
 * The pauses after the first, second, … failed attempt, before a jitter of 10 %. Together almost 32 hours, so
 * that a receiver that is repaired within a day loses nothing.
 */
export const ladder: ReadonlyArray<number> = [
  5 * second,
  20 * second,
  minute,
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  8 * hour,
  10 * hour
]

/** The longest pause that a receiver may request, in milliseconds. */
export const longestRetryAfter = hour

/** A delivery is given up after this time, even if few attempts were made because the receiver was known to be down. */
export const longestPending = 72 * hour

/** The pause before the next attempt after `failed` failed ones; `null` when there is none. `jitter` is from 0 to 1. */
export const pauseAfter = (failed: number, jitter: number): number | null => {
  const step = ladder[failed - 1]
  return step === undefined ? null : Math.round(step * (0.9 + 0.2 * jitter))
}

/** A new delivery, due at once or waiting for the event before it. */
export const pending = (dueAt: number | null): State => ({
  status: "pending",
  attempts: 0,
  nextAttemptAt: dueAt,
  durationMillis: null,
  responseStatus: null,
  errors: []
})

/** The next state of a delivery after an attempt that ended at `at`. */
export const attempted = <D extends State>(before: D, outcome: Outcome, at: number, jitter: number): D => {
  if (outcome._tag === "Refused") return dead(before, outcome.reason, at)
  const attempts = before.attempts + 1
  const responseStatus = outcome._tag === "Answered" ? outcome.status : null
  const tried = { ...before, attempts, responseStatus, durationMillis: outcome.durationMillis }
  if (isDelivered(outcome)) return { ...tried, status: "delivered", nextAttemptAt: null }
  const failed = { ...tried, errors: [...before.errors, entry(at, attempts, describe(outcome))] }
  const pause = responseStatus === 410 ? null : pauseAfter(attempts, jitter)
  if (pause === null) return { ...failed, status: "dead", nextAttemptAt: null }
  const asked = outcome._tag === "Answered" ? Math.min(outcome.retryAfterMillis ?? 0, longestRetryAfter) : 0
  return { ...failed, nextAttemptAt: at + Math.max(pause, asked) }
}

/** Postpones a delivery without an attempt, because its target is busy or down; gives it up when it is too old. */
export const putOff = (before: Delivery, until: number, at: number): Delivery =>
  until > before.since + longestPending
    ? dead(before, "The receiver was down for too long", at)
    : { ...before, nextAttemptAt: until }

/** Gives a delivery up without an attempt. */
export const dead = <D extends State>(before: D, reason: string, at: number): D => ({
  ...before,
  status: "dead",
  nextAttemptAt: null,
  errors: [...before.errors, `${instant(at)} Not sent: ${reason}`]
})

/** Retries a dead delivery: its sequence of pauses starts again at `at`. Earlier failures stay in its record. */
export const retry = (before: Delivery, at: number): Result.Result<Delivery, DeliveryNotDead> =>
  before.status === "dead"
    ? Result.succeed({ ...before, status: "pending", attempts: 0, nextAttemptAt: at, since: at })
    : Result.fail(new DeliveryNotDead({ deliveryId: before.id, status: before.status }))

/** Returns whether the first attempt is over, so that the next event of the run may be sent. */
export const isSettledOnce = ({ attempts, status }: Pick<State, "attempts" | "status">): boolean =>
  attempts > 0 || status !== "pending"

/** Returns whether the receiver took it. */
export const isDelivered = (outcome: Outcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300

/** The error of an attempt that was not accepted, in words. */
export const describe = (outcome: Outcome): string => {
  if (outcome._tag !== "Answered") return outcome.reason
  const { status } = outcome
  if (status === 410) return "Answered 410: the receiver accepts no further deliveries"
  return status >= 300 && status < 400
    ? `Answered ${status}: redirects are not followed`
    : `Answered ${status}: expected 200 to 299`
}

const entry = (at: number, attempt: number, words: string): string => `${instant(at)} Attempt ${attempt}: ${words}`

const instant = (at: number): string => new Date(at).toISOString()

/** Raised for a delivery that does not exist in the workspace. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  deliveryId: Schema.String
}) {
  override get message() {
    return `Delivery "${this.deliveryId}" not found in this workspace`
  }
}

/** Raised when a delivery to be retried was not given up. */
export class DeliveryNotDead extends Schema.TaggedError<DeliveryNotDead>()("DeliveryNotDead", {
  deliveryId: Schema.String,
  status: Status
}) {
  override get message() {
    return `Cannot retry delivery "${this.deliveryId}": it is ${this.status}, expected dead`
  }
}
