/**
 * An event as it is sent: on streams, and to webhooks.
 */
import { Schema } from "effect"
import type { LoggedEvent, RunEvent } from "./RunEvent.ts"
import * as RunFiles from "./RunFiles.ts"

/** The fields are in this order, and the JSON has no spaces: receivers may serialise it again to check a signature. */
export const Message = Schema.Struct({
  event: Schema.String,
  /** When it happened, in Unix seconds. */
  timestamp: Schema.Int,
  /** A receiver refuses it after this instant, in Unix seconds. */
  expires_at: Schema.Int,
  payload: Schema.JsonObject,
  /** What the submission of the run gave along for this. */
  metadata: Schema.optionalKey(Schema.Json)
}).annotate({ identifier: "Event" })
export type Message = typeof Message.Type

/** Addresses that work without a key, made when a message is. */
export interface Links {
  /** The address of an artifact, and until when it works, in ISO 8601. */
  readonly artifact: (id: string) => { readonly url: string; readonly expires: string }
  /** The address of the page that shows a run while it is in progress. */
  readonly liveView: (runId: string) => string
}

/** Default validity of a message, in seconds. */
const defaultValidity = 300

/** Writes an event out. `validity` is in seconds from when it happened; an event that says itself until when it matters, keeps to that. */
export const message = (
  { at, event }: LoggedEvent,
  links: Links,
  options: { readonly validity?: number; readonly metadata?: Schema.Json } = {}
): Message => {
  const timestamp = Math.floor(at / 1_000)
  return {
    event: event.event,
    timestamp,
    expires_at: expiryOf(event) ?? timestamp + (options.validity ?? defaultValidity),
    payload: payloadOf(event, links),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata })
  }
}

/** Until when an event matters, in Unix seconds, where it says so itself. */
export const expiryOf = (event: RunEvent): number | null =>
  "expires_at" in event && event.expires_at !== undefined ? Math.floor(event.expires_at / 1_000) : null

/** The payload as it is sent, with addresses instead of file ids; without addresses if `links` is `null`. */
export const payloadOf = (event: RunEvent, links: Links | null): Schema.JsonObject => {
  if (links === null) return withoutLinks(event)
  if (event.event === "execution.input_required") {
    const { screenshot_id, ...facts } = event.payload
    return { ...facts, screenshot_url: screenshot_id === null ? null : links.artifact(screenshot_id).url }
  }
  if (event.event === "file.uploaded") {
    const { expires, url } = links.artifact(event.payload.file_id)
    return { ...event.payload, signed_file_url: url, signed_file_url_expires: expires }
  }
  if ("file_urls" in event.payload) {
    const files = RunFiles.read(event.payload.file_urls).map((file) => RunFiles.rendered(file, links.artifact))
    return { ...event.payload, file_urls: files } as Schema.JsonObject
  }
  if (event.event === "execution.start") {
    return { ...event.payload, live_view_url: links.liveView(event.payload.session_id) }
  }
  if (event.event === "video.uploaded") {
    const { video_id, ...facts } = event.payload
    const { expires, url } = links.artifact(video_id)
    return { ...facts, signed_screen_recording_url: url, signed_screen_recording_url_expires: expires }
  }
  if (event.event !== "screenshot.uploaded") return event.payload as Schema.JsonObject
  const { expires, url } = links.artifact(event.payload.screenshot_id)
  return { ...event.payload, signed_screenshot_url: url, signed_screenshot_url_expires: expires }
}

/** The payload of an event whose artifacts are not there any more. */
const withoutLinks = (event: RunEvent): Schema.JsonObject => {
  const { payload } = event
  if ("file_urls" in payload) return { ...payload, file_urls: [] } as Schema.JsonObject
  if (event.event === "execution.input_required") {
    const { screenshot_id: _, ...facts } = event.payload
    return { ...facts, screenshot_url: null }
  }
  return payload as Schema.JsonObject
}
