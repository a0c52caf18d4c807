/** Answers the endpoints of notifications. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Channel, RunSubscription } from "../../../core/event/notification/Notifications.ts"
import { RunSubscriptions } from "../../../core/event/notification/RunSubscriptions.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { Workspaces } from "../../../core/workspace/Workspaces.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import type { SubscriptionRecord } from "./NotificationsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fn(function* (handlers) {
    const subscriptions = yield* RunSubscriptions
    const workspaces = yield* Workspaces

    /** The workflows that a body is about; `null` for the workspace, which must be the caller's. */
    const about = (
      caller: Caller,
      body: { readonly workspace_id?: string | null; readonly workflow_ids?: ReadonlyArray<string> | null }
    ) =>
      body.workspace_id == null
        ? Effect.succeed(body.workflow_ids ?? null)
        : workspaces.get(caller, body.workspace_id).pipe(Effect.as(null))

    return handlers.handleAll({
      listRunSubscriptions: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const all = yield* subscriptions.list(caller)
        const seen = query.all === "true" ? all : all.filter(({ createdBy }) => createdBy === caller.userId)
        return seen.map((one) => record(caller, one))
      }),
      subscribeToRuns: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const made = yield* subscriptions.subscribe(
          caller,
          yield* about(caller, payload),
          payload.events,
          payload.channel ?? { type: "log" }
        )
        return made.map((one) => record(caller, one))
      }),
      unsubscribeFromRuns: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const changed = yield* subscriptions.unsubscribe(caller, yield* about(caller, payload), payload.events ?? null)
        return { success: true, changed }
      })
    })
  })
)

const record = ({ workspaceId }: Caller, one: RunSubscription): typeof SubscriptionRecord.Type => ({
  id: one.id,
  workspace_id: workspaceId,
  workflow_id: one.workflowId,
  events: one.events,
  channel: shown(one.channel),
  created_by: one.createdBy,
  created_at: iso(one.createdAt)
})

const shown = (channel: Channel): (typeof SubscriptionRecord.Type)["channel"] =>
  channel.type === "log" ? channel : { type: channel.type, host: new URL(channel.url).host }
