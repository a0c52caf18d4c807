/** Webhooks in memory. */
import { Layer } from "effect"
import { kind, WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import * as MemoryCollection from "../MemoryCollection.ts"

export const layer = Layer.effect(WebhookStore, MemoryCollection.make(kind))
