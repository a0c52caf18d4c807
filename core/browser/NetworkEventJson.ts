/**
 * The JSON of a recorded exchange as the network log of a run is stored and shown.
 */
import { Schema } from "effect"
import type { RecordedExchange } from "./Exchange.ts"

const Headers = Schema.Record(Schema.String, Schema.String)

/** An exchange with the names of the interface. */
export const NetworkEvent = Schema.Struct({
  id: Schema.String,
  method: Schema.String,
  url: Schema.String,
  status: Schema.NullOr(Schema.Int),
  resource_type: Schema.String,
  started_at: Schema.String,
  duration_ms: Schema.NullOr(Schema.Int),
  failure: Schema.NullOr(Schema.String),
  request_headers: Headers,
  response_headers: Headers,
  response_body: Schema.NullOr(Schema.String),
  /** The body was longer than the stored part. */
  response_body_truncated: Schema.Boolean
}).annotate({ identifier: "NetworkEvent" })
export type NetworkEvent = typeof NetworkEvent.Type

/** Writes an exchange out. The fields are in the order of the schema. */
export const write = (recorded: RecordedExchange): NetworkEvent => ({
  id: recorded.id,
  method: recorded.method,
  url: recorded.url,
  status: recorded.status,
  resource_type: recorded.resourceType,
  started_at: new Date(recorded.startedAt).toISOString(),
  duration_ms: recorded.durationMillis,
  failure: recorded.failure,
  request_headers: recorded.requestHeaders,
  response_headers: recorded.responseHeaders,
  response_body: recorded.responseBody,
  response_body_truncated: recorded.responseBodyTruncated
})

/** Reads what `write` wrote. */
export const read = (event: NetworkEvent): RecordedExchange => ({
  id: event.id,
  method: event.method,
  url: event.url,
  status: event.status,
  resourceType: event.resource_type,
  startedAt: Date.parse(event.started_at),
  durationMillis: event.duration_ms,
  failure: event.failure,
  requestHeaders: event.request_headers,
  responseHeaders: event.response_headers,
  responseBody: event.response_body,
  responseBodyTruncated: event.response_body_truncated
})
