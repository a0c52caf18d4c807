/**
 * The delivery of one file of a run to a destination: when it is retried, and when it is given up.
 *
 * ```
 *   pending -- stored --> delivered
 *    |  ^  '-- refused, gone, no attempts left --> failed --.
 *    |  '-- retry, by its pause or by a user --------------'
 *    '--'
 * ```
 */
import { Result, Schema } from "effect"
import { longestRetryAfter, pauseAfter } from "../../event/webhook/Delivery.ts"
import { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"
import type { PutOutcome } from "./FileSink.ts"

export const FileDeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type FileDeliveryStatus = typeof FileDeliveryStatus.Type

/** A delivery. Instants are epoch milliseconds. */
export const FileDelivery = Schema.Struct({
  id: Schema.String,
  workspaceId: WorkspaceId,
  workflowId: WorkflowId,
  runId: RunId,
  /** The name of the destination. */
  destination: Schema.String,
  file: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** Where it goes below the destination; after its delivery, where it is. */
  path: Schema.String,
  /** The SHA-256 and the number of the bytes that are delivered; `null` before they were first read. */
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  status: FileDeliveryStatus,
  /** How often it was attempted since it was made, or since a user last retried it. */
  attempts: Schema.Int,
  /** When it is due; `null` once it is settled. */
  nextAttemptAt: Schema.NullOr(Schema.Finite),
  /** Oldest first. */
  errors: Schema.Array(Schema.String),
  createdAt: Schema.Finite,
  deliveredAt: Schema.NullOr(Schema.Finite)
})
export type FileDelivery = typeof FileDelivery.Type

/** The next state of a delivery after an attempt that ended at `at`. `jitter` is from 0 to 1. */
export const attempted = (before: FileDelivery, outcome: PutOutcome, at: number, jitter: number): FileDelivery => {
  const tried = { ...before, attempts: before.attempts + 1 }
  if (outcome._tag === "Stored") return { ...tried, status: "delivered", nextAttemptAt: null, deliveredAt: at }
  if (outcome._tag === "Refused") return failed(tried, outcome.reason, at)
  if (outcome._tag === "Taken") return failed(tried, `Other content has the name ${before.path} already`, at)
  const pause = pauseAfter(tried.attempts, jitter)
  const noted = withError(tried, outcome.reason, at)
  if (pause === null) return { ...noted, status: "failed", nextAttemptAt: null }
  const asked = Math.min(outcome.retryAfterMillis ?? 0, longestRetryAfter)
  return { ...noted, nextAttemptAt: at + Math.max(pause, asked) }
}

/** Gives a delivery up. */
export const failed = (before: FileDelivery, reason: string, at: number): FileDelivery => ({
  ...withError(before, reason, at),
  status: "failed",
  nextAttemptAt: null
})

/** Tries a failed delivery again: its sequence of pauses starts again at `at`. Earlier errors stay in its record. */
export const retry = (before: FileDelivery, at: number): Result.Result<FileDelivery, FileDeliveryNotFailed> =>
  before.status === "failed"
    ? Result.succeed({ ...before, status: "pending", attempts: 0, nextAttemptAt: at })
    : Result.fail(new FileDeliveryNotFailed({ deliveryId: before.id, status: before.status }))

const withError = (before: FileDelivery, reason: string, at: number): FileDelivery => ({
  ...before,
  errors: [...before.errors, `${new Date(at).toISOString()} ${reason}`]
})

/** Raised for a delivery that does not exist in the workspace. */
export class FileDeliveryNotFound extends Schema.TaggedError<FileDeliveryNotFound>()("FileDeliveryNotFound", {
  deliveryId: Schema.String
}) {
  override get message() {
    return `File delivery "${this.deliveryId.slice(0, 80)}" not found in this workspace`
  }
}

/** Raised when a delivery to be retried has not failed. */
export class FileDeliveryNotFailed extends Schema.TaggedError<FileDeliveryNotFailed>()("FileDeliveryNotFailed", {
  deliveryId: Schema.String,
  status: FileDeliveryStatus
}) {
  override get message() {
    return `Cannot retry file delivery "${this.deliveryId}": it is ${this.status}, expected failed`
  }
}
