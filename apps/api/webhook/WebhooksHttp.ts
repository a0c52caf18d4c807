/** Answers the endpoints of webhooks and of what was delivered to them. */
import { Effect, Redacted, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as EventMessage from "../../../core/event/EventMessage.ts"
import { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import * as Delivery from "../../../core/event/webhook/Delivery.ts"
import * as Replay from "../../../core/event/webhook/Replay.ts"
import type { Sender } from "../../../core/event/webhook/Sender.ts"
import * as Target from "../../../core/event/webhook/Target.ts"
import {
  defaultValidity,
  type TestDelivery,
  type Webhook,
  type WebhookStore
} from "../../../core/event/webhook/Webhook.ts"
import type { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { type Settings, Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { RunId, RunNotFound } from "../../../core/workspace/Ids.ts"
import { type Caller, permits } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { origin } from "../http/Origin.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import type { WebhookDelivery, WebhookEndpoint } from "./WebhooksApi.ts"

const defaultLimit = 100

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const runs = yield* Runs
    const links = yield* ArtifactLinks
    const sending = yield* Effect.context<Deliveries | Sender | WebhookSecrets | WebhookStore>()

    const viewOf = Effect.fnUntraced(function* (sessionId: string) {
      const id = yield* Schema.decodeUnknownEffect(RunId)(sessionId).pipe(
        Effect.mapError(() => new RunNotFound({ sessionId }))
      )
      return yield* runs.get(yield* CurrentCaller, id)
    })

    return handlers.handleAll({
      listEndpoints: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return (yield* webhooks.list(caller)).map((webhook) => endpoint(webhook, caller))
      }),
      createEndpoint: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const scope = payload.workflow_id == null ? null : yield* workflowId(payload.workflow_id)
        const { secret, webhook } = yield* webhooks.create(caller, {
          ...settings(payload),
          url: payload.url,
          workflowId: scope
        })
        return { ...endpoint(webhook, caller), secret: Redacted.value(secret) }
      }),
      getEndpoint: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return endpoint(yield* webhooks.get(caller, params.webhook_id), caller)
      }),
      changeEndpoint: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const changed = yield* webhooks.change(caller, params.webhook_id, settings(payload))
        return endpoint(changed, caller)
      }),
      removeEndpoint: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return endpoint(yield* webhooks.remove(caller, params.webhook_id), caller)
      }),
      testEndpoint: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return attempt(yield* webhooks.test(caller, params.webhook_id))
      }),
      listDeliveries: Effect.fn(function* ({ query }) {
        const caller = yield* CurrentCaller
        const { workspaceId } = caller
        const limit = query.limit ?? defaultLimit
        const found = yield* deliveries.list(workspaceId, {
          // One more: tests up to it stand on this page.
          limit: limit + 1,
          ...(query.status === undefined ? {} : { status: query.status }),
          ...(query.session_id === undefined ? {} : { runId: query.session_id }),
          ...(query.webhook_id === undefined ? {} : { webhookId: query.webhook_id }),
          ...(query.cursor === undefined ? {} : { before: query.cursor })
        })
        const page = found.slice(0, limit)
        const last = found.length > limit ? page.at(-1) : undefined
        const isOnPage = ({ at }: TestDelivery) =>
          at > (found[limit]?.createdAt ?? -1) && (query.cursor === undefined || at <= (page[0]?.createdAt ?? -1))
        // A run has no tests.
        const tested = query.session_id === undefined ? yield* webhooks.list(caller) : []
        const tests = tested
          .filter(({ id }) => query.webhook_id === undefined || id === query.webhook_id)
          .flatMap((webhook) => (webhook.tests ?? []).filter(isOnPage).map((test) => testJson(webhook, test, caller)))
          .filter(({ status }) => query.status === undefined || status === query.status)
        const rows = [...page.map((delivery) => deliveryJson(delivery, caller)), ...tests]
        return {
          deliveries:
            tests.length === 0 ? rows : rows.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)),
          next_cursor: last === undefined ? null : String(last.position)
        }
      }),
      retryDelivery: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return deliveryJson(yield* webhooks.retry(caller, params.delivery_id), caller)
      }),
      webhookEvents: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const { run } = yield* viewOf(params.session_id)
        const under = yield* links.under(yield* origin, run.workspaceId)
        const registered = new Map((yield* webhooks.list(caller)).map((one) => [one.id, one]))
        const all = yield* deliveries.ofRun(run.workspaceId, run.id)
        return {
          webhook_events: all.map((one) => {
            const own = Target.runWebhookOf(one.runWebhook)
            const validity = one.webhookId === null ? own.validity : registered.get(one.webhookId)?.validity
            const { metadata } = own
            return {
              created_at: iso(one.createdAt),
              workflow_id: one.workflowId,
              session_id: run.id,
              url: urlFor(caller, one.url),
              delivered: one.status === "delivered",
              delivery_errors: one.errors,
              duration: one.durationMillis,
              retries: Math.max(0, one.attempts - 1),
              message: EventMessage.message(one.logged, under, {
                validity: validity ?? defaultValidity,
                ...(metadata === undefined ? {} : { metadata })
              })
            }
          })
        }
      }),
      replayWebhooks: Effect.fn(function* ({ params }) {
        const { events, run } = yield* viewOf(params.session_id)
        const under = yield* links.under(yield* origin, run.workspaceId)
        const subject = {
          workspaceId: run.workspaceId,
          workflowId: run.workflowId,
          runId: run.id,
          webhook: run.options.webhook ?? null,
          events
        }
        const replayed = yield* Replay.replay(yield* CurrentCaller, subject, under).pipe(Effect.provide(sending))
        const attempts = replayed.map(({ outcome }) => attempt(outcome))
        const taken = attempts.filter(({ success }) => success).length
        return {
          status: taken === attempts.length ? "success" : taken === 0 ? "failed" : "partial",
          info:
            attempts.length === 0
              ? "No webhook is subscribed to the events of this run"
              : `${taken} of ${attempts.length} messages were delivered`,
          nr_success: taken,
          nr_failed: attempts.length - taken,
          webhook_events: attempts
        } as const
      })
    })
  })
)

const settings = (sent: {
  readonly url?: string | null
  readonly event_types_subscribed?: Settings["eventTypes"] | null
  readonly secret?: string | null
  readonly validity?: number | null
  readonly active?: boolean | null
}): Settings => ({
  ...(sent.url == null ? {} : { url: sent.url }),
  ...(sent.event_types_subscribed == null ? {} : { eventTypes: sent.event_types_subscribed }),
  ...(sent.secret == null ? {} : { secret: Redacted.make(sent.secret) }),
  ...(sent.validity == null ? {} : { validity: sent.validity }),
  ...(sent.active == null ? {} : { active: sent.active })
})

/** The path and the query of a webhook address may be credentials, so a Viewer sees only the host. */
const urlFor = (caller: Caller, url: string): string => {
  if (permits(caller, "edit")) return url
  const parsed = URL.parse(url)
  return parsed === null ? "hidden" : `${parsed.origin}/hidden`
}

const endpoint = (webhook: Webhook, caller: Caller): typeof WebhookEndpoint.Type => ({
  id: webhook.id,
  workflow_id: webhook.workflowId,
  url: urlFor(caller, webhook.url),
  event_types_subscribed: webhook.eventTypes,
  validity: webhook.validity,
  active: webhook.active,
  inactive_reason: webhook.inactiveReason,
  secret_hint: webhook.secretHint,
  created_at: iso(webhook.createdAt),
  created_by: webhook.createdBy,
  updated_at: iso(webhook.updatedAt)
})

const deliveryJson = (delivery: Delivery.Delivery, caller: Caller): typeof WebhookDelivery.Type => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  session_id: delivery.logged.runId,
  workflow_id: delivery.workflowId,
  event: delivery.logged.event.event,
  url: urlFor(caller, delivery.url),
  status: delivery.status,
  created_at: iso(delivery.createdAt),
  attempts: delivery.attempts,
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  duration: delivery.durationMillis,
  response_status: delivery.responseStatus,
  delivery_errors: delivery.errors
})

/** A test as a delivery that was tried once. */
const testJson = (webhook: Webhook, test: TestDelivery, caller: Caller): typeof WebhookDelivery.Type => ({
  id: test.id,
  webhook_id: webhook.id,
  session_id: null,
  workflow_id: null,
  event: "webhook.test",
  url: urlFor(caller, test.url),
  status: test.error === null ? "delivered" : "dead",
  created_at: iso(test.at),
  attempts: 1,
  next_attempt_at: null,
  duration: test.durationMillis,
  response_status: test.responseStatus,
  delivery_errors: test.error === null ? [] : [test.error]
})

const attempt = (outcome: Delivery.Outcome) => {
  const success = Delivery.isDelivered(outcome)
  return {
    success,
    response: outcome._tag === "Answered" ? String(outcome.status) : "",
    error: success ? "" : Delivery.describe(outcome)
  }
}
