/**
 * Sends a request to an address chosen by a user.
 */
import { Context, type Effect } from "effect"
import type { Outcome } from "./Delivery.ts"

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export class Sender extends Context.Service<
  Sender,
  {
    /** Why this address would be refused, if that can be decided without resolving its name; `null` otherwise. */
    readonly refusal: (url: string) => string | null

    /**
     * Sends a POST and reads the answer, within 15 seconds from the connection to the last byte. Redirects are not
     * followed. Private, loopback and link-local addresses are refused unless allowed; the address that is judged is the
     * one that is connected to.
     */
    readonly post: (post: WebhookRequest) => Effect.Effect<Outcome>
  }
>()("sluice/core/event/webhook/Sender") {}
