/**
 * The kinds of events that a webhook receives.
 */
import { Schema } from "effect"

/** The kinds that can be subscribed to. `execution.pause` is what older clients call `execution.paused`. */
export const EventType = Schema.Literals([
  "execution.queued",
  "execution.start",
  "execution.step",
  "execution.step_skipped",
  "execution.paused",
  "execution.pause",
  "workflow.paused",
  "workflow.canary",
  "execution.requeued",
  "execution.released",
  "execution.input_required",
  "execution.success",
  "execution.failed",
  "execution.stopped",
  "file.uploaded",
  "screenshot.uploaded",
  "video.uploaded",
  "control.taken",
  "control.returned",
  "interaction.waiting",
  "interaction.finished",
  "interaction.failed",
  "agent.error_analysis",
  "agent.tfa_setup_recovery"
])
export type EventType = typeof EventType.Type

/** The subscriptions of a webhook: a list without entries means every kind, those that come later included. */
export const EventTypes = Schema.Array(EventType).check(Schema.isMaxLength(100))

/** Returns whether events of this kind are sent to a webhook with this subscription. */
export const includes = (subscribed: ReadonlyArray<string>, event: string): boolean =>
  subscribed.length === 0 ||
  subscribed.includes(event) ||
  (event === "execution.paused" && subscribed.includes("execution.pause"))
