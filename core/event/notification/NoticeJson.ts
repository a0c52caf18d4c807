/**
 * The JSON of a notice as it is sent to the address of its channel.
 */
import type { Schema } from "effect"
import type { Notice } from "./Notifications.ts"

/** The body of a request: one text for Slack, and the facts for other addresses. */
export const bodyOf = ({ at, channel, kind, sessionId, text, workflowId }: Notice): Schema.JsonObject =>
  channel.type === "slack_webhook"
    ? { text }
    : {
        event: kind,
        timestamp: Math.floor(at / 1_000),
        session_id: sessionId,
        workflow_id: workflowId,
        message: text
      }
