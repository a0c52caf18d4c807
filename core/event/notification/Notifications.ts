/**
 * Notices about runs, apart from webhooks: subscriptions, and the decision which of them an event concerns.
 */

import { Schema, SchemaTransformation } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Entry } from "../EventLog.ts"
import { isLast, type RunEvent } from "../RunEvent.ts"

/** The events that can be subscribed to. */
export const NoticeKind = Schema.Literals([
  "run.started",
  "run.succeeded",
  "run.failed",
  "run.requeued",
  "run.maintenance_triggered"
])
export type NoticeKind = typeof NoticeKind.Type

/** The event of a run for each kind of notice. */
const kinds: Readonly<Record<string, NoticeKind>> = {
  "execution.start": "run.started",
  "execution.success": "run.succeeded",
  "execution.failed": "run.failed",
  "execution.requeued": "run.requeued",
  "agent.error_analysis": "run.maintenance_triggered"
}

const isAddress = (text: string): boolean => {
  if (URL.parse(text) === null) return false
  const { password, protocol, username } = new URL(text)
  return (protocol === "https:" || protocol === "http:") && username === "" && password === ""
}

/** Blanks around an address are removed. */
const Address = Schema.String.check(TextLength.atMost(2_048)).pipe(
  Schema.decodeTo(
    Schema.String.check(
      TextLength.atMost(2_048),
      Schema.makeFilter(
        (text: string) =>
          isAddress(text) || "Expected an address such as https://example.com/hook, without a user in it"
      )
    ),
    SchemaTransformation.trim()
  )
)

/**
 * The channels of notices: the log of the service, a Slack incoming webhook, or any address that takes JSON. An address
 * may be a secret in itself.
 */
export const Channel = Schema.Union([
  Schema.Struct({ type: Schema.Literal("log") }),
  Schema.Struct({ type: Schema.Literals(["slack_webhook", "http"]), url: Address })
]).annotate({ identifier: "NotificationChannel" })
export type Channel = typeof Channel.Type

/** A subscription to the runs of one workflow, or of the whole workspace when `workflowId` is `null`. */
export const RunSubscription = Schema.Struct({
  id: Schema.String,
  workflowId: Schema.NullOr(Schema.String),
  events: Schema.Array(NoticeKind),
  channel: Channel,
  createdBy: Schema.String,
  /** In epoch milliseconds. */
  createdAt: Schema.Finite
})
export type RunSubscription = typeof RunSubscription.Type

/** A message for a channel. */
export interface Notice {
  readonly workspaceId: WorkspaceId
  readonly channel: Channel
  readonly kind: NoticeKind
  readonly sessionId: string
  readonly workflowId: string
  /** When it happened, in epoch milliseconds. */
  readonly at: number
  /** One sentence for people. */
  readonly text: string
}

/**
 * Decides which notices an event of a run causes, given the subscriptions of its workspace.
 *
 * Each channel gets one notice, even if several subscriptions name it. A run that was submitted with `notifications:
 * {"enabled": false}` causes none.
 */
export const notices = (
  subscriptions: ReadonlyArray<RunSubscription>,
  { at, event, notifications, workspaceId }: Pick<Entry, "at" | "event" | "notifications" | "workspaceId">
): ReadonlyArray<Notice> => {
  const kind = kinds[event.event]
  if (kind === undefined || isSilenced(notifications)) return []
  const { runId: sessionId, workflowId } = event
  const concerned = subscriptions.filter(
    (subscription) =>
      subscription.events.includes(kind) && (subscription.workflowId === null || subscription.workflowId === workflowId)
  )
  const channels = new Map(concerned.map(({ channel }) => [channelKey(channel), channel]))
  const text = sentence(kind, sessionId, workflowId, firstFailure(event))
  return [...channels.values()].map((channel) => ({ workspaceId, channel, kind, sessionId, workflowId, at, text }))
}

/** The identity of a channel: equal channels have the same key. */
const channelKey = (channel: Channel): string => (channel.type === "log" ? "log" : `${channel.type} ${channel.url}`)

const verbs: Record<NoticeKind, string> = {
  "run.started": "started",
  "run.succeeded": "succeeded",
  "run.failed": "failed",
  "run.requeued": "failed and will be tried again",
  "run.maintenance_triggered": "is being looked into by the agent"
}

const sentence = (kind: NoticeKind, sessionId: string, workflowId: string, error: string | null): string =>
  `Run ${sessionId} of workflow ${workflowId} ${verbs[kind]}${kind === "run.failed" && error !== null ? `: ${error}` : ""}`

const firstFailure = (event: RunEvent): string | null => (isLast(event) ? (event.errors[0]?.message ?? null) : null)

const isSilenced = (notifications: Schema.Json | null): boolean =>
  typeof notifications === "object" &&
  notifications !== null &&
  "enabled" in notifications &&
  notifications.enabled === false
