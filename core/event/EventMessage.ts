/**
 * An event as it is sent: on streams, and to webhooks.
 */
import { Schema } from "effect"
import * as EventJson from "./EventJson.ts"
import { expiryOf as expiresAtOf, type LoggedEvent, type RunEvent } from "./RunEvent.ts"

/** The fields are in this order, and the JSON has no spaces: receivers may serialise it again to check a signature. */
export const Message = Schema.Struct({
  event: Schema.String,
  /** When it happened, in Unix seconds. */
  timestamp: Schema.Int,
  /** A receiver refuses it after this instant, in Unix seconds. */
  expires_at: Schema.Int,
  payload: Schema.JsonObject,
  /** The metadata of the submission of the run. */
  metadata: Schema.optionalKey(Schema.Json)
}).annotate({ identifier: "Event" })
export type Message = typeof Message.Type

/** Default validity of a message, in seconds. */
const defaultValidity = 300

/** The message of an event. `validity` is in seconds from the instant of the event; an event with an expiry keeps it. */
export const message = (
  { at, event }: LoggedEvent,
  links: EventJson.Links,
  options: { readonly validity?: number; readonly metadata?: Schema.Json } = {}
): Message => {
  const timestamp = Math.floor(at / 1_000)
  return {
    event: event.event,
    timestamp,
    expires_at: expiryOf(event) ?? timestamp + (options.validity ?? defaultValidity),
    payload: EventJson.payloadOf(event, links),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata })
  }
}

/** The webhook that a test message is sent to. */
export interface TestedWebhook {
  readonly id: string
  readonly workspaceId: string
}

/** The message of a test at `at`, in the form of an event of the kind `webhook.test`. `validity` is in seconds. */
export const testMessage = ({ id, workspaceId }: TestedWebhook, at: number, validity: number): Message => {
  const timestamp = Math.floor(at / 1_000)
  return {
    event: "webhook.test",
    timestamp,
    expires_at: timestamp + validity,
    payload: { webhook_id: id, workspace_id: workspaceId }
  }
}

/** The expiry of an event in Unix seconds, if it has one. */
export const expiryOf = (event: RunEvent): number | null => {
  const at = expiresAtOf(event)
  return at === null ? null : Math.floor(at / 1_000)
}
