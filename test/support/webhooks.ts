/**
 * Webhooks and deliveries, for tests that need some.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type Webhook, WebhookStore } from "../../core/event/webhook/Webhook.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import * as DeliveryContract from "../kit/contracts/event/DeliveryContract.ts"

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

/** Registers a webhook without the checks of the service. */
export const makeWebhook = Effect.fn(function* (caller: Caller, overrides: Partial<Webhook> = {}) {
  const made = webhook({ createdBy: caller.userId, ...overrides })
  yield* (yield* WebhookStore).insert(caller.workspaceId, made)
  return made
})

/** A dead delivery of the first event of a run. */
export const makeDead = DeliveryContract.makeDead
