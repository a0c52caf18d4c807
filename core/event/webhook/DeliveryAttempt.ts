/**
 * One delivery attempt: the message, its signature and its headers.
 */

import { Clock, Effect, type Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Trace from "../../runtime/Trace.ts"
import type { Links } from "../EventJson.ts"
import * as EventMessage from "../EventMessage.ts"
import type { LoggedEvent } from "../RunEvent.ts"
import type { Outcome } from "./Delivery.ts"
import { Sender } from "./Sender.ts"
import type { Target } from "./Target.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"

/**
 * The message of an event as a target is sent it at `now`.
 *
 * It contains the instant of the event, and expires `validity` seconds after it was sent, so that a late attempt is not
 * refused as expired. An event with an expiry keeps it.
 */
export const messageAt = (
  logged: LoggedEvent,
  links: Links,
  options: { readonly validity: number; readonly metadata?: Schema.Json },
  now: number
): EventMessage.Message => {
  const message = EventMessage.message(logged, links, options)
  return EventMessage.expiryOf(logged.event) === null
    ? { ...message, expires_at: Math.floor(now / 1_000) + options.validity }
    : message
}

/** Returns whether an event has expired at `now`. */
export const isPerished = ({ event }: LoggedEvent, now: number): boolean => {
  const expiry = EventMessage.expiryOf(event)
  return expiry !== null && now >= expiry * 1_000
}

/** Signs a message and sends it. The signature is that of exactly the bytes that are sent. */
export const send = Effect.fn("DeliveryAttempt.send")(function* (
  target: Target,
  message: Schema.JsonObject,
  delivery: { readonly id: string; readonly attempt: number }
): Effect.fn.Return<Outcome, StoreUnavailable, Sender | WebhookSecrets> {
  const secrets = yield* WebhookSecrets
  const sender = yield* Sender
  const body = JSON.stringify(message)
  const traceparent = yield* Trace.traceparent
  return yield* secrets.sign(target.sealedSecret, body).pipe(
    Effect.flatMap((signature) =>
      sender.post({
        url: target.url,
        headers: {
          "Content-Type": "application/json",
          "User-Agent": "Sluice-Webhooks/1.0",
          "X-HMAC-Signature": `sha256=${signature}`,
          "X-Sluice-Delivery": delivery.id,
          "X-Sluice-Attempt": String(delivery.attempt),
          ...(traceparent === null ? {} : { traceparent })
        },
        body
      })
    ),
    Effect.catchTag("SecretUnreadable", ({ message }) => Effect.succeed<Outcome>({ _tag: "Refused", reason: message }))
  )
})

/** Sends a test message, which looks like an event of the kind `webhook.test`. */
export const sendTest = Effect.fn("DeliveryAttempt.sendTest")(function* (
  target: Target,
  webhook: EventMessage.TestedWebhook,
  id: string
) {
  const message = EventMessage.testMessage(webhook, yield* Clock.currentTimeMillis, target.validity)
  return yield* send(target, message, { id, attempt: 1 })
})
