/** Webhooks in PostgreSQL. */
import { Layer } from "effect"
import { kind, WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import * as PgCollection from "../PgCollection.ts"

export const layer = Layer.effect(WebhookStore, PgCollection.make(kind))
