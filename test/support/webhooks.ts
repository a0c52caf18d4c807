/**
 * Webhooks and deliveries, for tests that need some to be there.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { Deliveries } from "../../core/event/webhook/Deliveries.ts"
import * as Delivery from "../../core/event/webhook/Delivery.ts"
import { type Webhook, WebhookStore } from "../../core/event/webhook/Webhook.ts"
import { entriesOf } from "../../core/testing/contract/DeliveryContract.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"

export const webhook = (overrides: Partial<Webhook> = {}): Webhook => ({
  id: randomUUID(),
  workflowId: null,
  url: `http://127.0.0.1:9/${randomUUID()}`,
  eventTypes: [],
  sealedSecret: "",
  secretHint: "…",
  validity: 300,
  active: true,
  inactiveReason: null,
  createdAt: 0,
  createdBy: randomUUID(),
  updatedAt: 0,
  ...overrides
})

/** Registers a webhook as it stands, whatever the service would say of it. */
export const makeWebhook = Effect.fn(function* (caller: Caller, overrides: Partial<Webhook> = {}) {
  const made = webhook({ createdBy: caller.userId, ...overrides })
  yield* (yield* WebhookStore).insert(caller.workspaceId, made)
  return made
})

/** Hands out deliveries until this one is among them, and makes of it what is asked; the others are given up. */
export const settle = Effect.fn(function* (
  workspaceId: WorkspaceId,
  id: string,
  decide: (delivery: Delivery.Delivery, now: number) => Delivery.Delivery
) {
  const deliveries = yield* Deliveries
  for (let seen = false; !seen; ) {
    yield* deliveries.next((one) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        seen ||= one.id === id
        return one.id === id ? decide(one, now) : Delivery.dead(one, "Not asked for", now)
      })
    )
  }
  return yield* deliveries.get(workspaceId, id)
})

/** A delivery of the first event of a run that was given up. */
export const makeDead = Effect.fn(function* (caller: Caller, runId: string) {
  const [entry] = yield* entriesOf(runId)
  if (entry === undefined) throw new Error(`Run ${runId} has no event`)
  const id = randomUUID()
  yield* (yield* Deliveries).append([{ id, entry, webhookId: randomUUID(), url: "http://127.0.0.1:9/hook" }])
  return yield* settle(caller.workspaceId, id, (one, now) => Delivery.dead(one, "Nobody is there", now))
})
