/** Deliveries of files as the interface answers them. */
import { Schema } from "effect"
import { type FileDelivery, FileDeliveryStatus } from "../../../core/run/delivery/FileDelivery.ts"

export const FileDeliveryRecord = Schema.Struct({
  id: Schema.String,
  session_id: Schema.String,
  workflow_id: Schema.String,
  /** The name of the destination. */
  destination: Schema.String,
  file_id: Schema.String,
  file_name: Schema.String,
  path: Schema.String,
  /** Of the bytes that are delivered; `null` before the first attempt. */
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  status: FileDeliveryStatus,
  attempts: Schema.Int,
  next_attempt_at: Schema.NullOr(Schema.String),
  delivery_errors: Schema.Array(Schema.String),
  created_at: Schema.String,
  delivered_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FileDelivery" })

export const deliveryRecord = (delivery: FileDelivery): typeof FileDeliveryRecord.Type => ({
  id: delivery.id,
  session_id: delivery.runId,
  workflow_id: delivery.workflowId,
  destination: delivery.destination,
  file_id: delivery.file.id,
  file_name: delivery.file.name,
  path: delivery.path,
  sha256: delivery.sha256,
  bytes: delivery.bytes,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  delivery_errors: delivery.errors,
  created_at: new Date(delivery.createdAt).toISOString(),
  delivered_at: isoOrNull(delivery.deliveredAt)
})

const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
