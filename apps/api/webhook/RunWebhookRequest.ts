/** The webhook options of the body of a submission. */
import { Effect, Redacted, Schema } from "effect"
import { EventTypes } from "../../../core/event/webhook/Subscription.ts"
import { Metadata, Url, Validity } from "../../../core/event/webhook/Webhook.ts"
import type { RunRequest, Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import { optional } from "../http/body/Fields.ts"

/**
 * A webhook for this run alone, and what registered webhooks are given along with its events. Either may be left out; a
 * webhook needs its url and its secret.
 */
export const RunWebhookRequest = Schema.Struct({
  url: optional(Url),
  event_types_subscribed: optional(EventTypes),
  secret: optional(Schema.String.check(Schema.isBetweenLength(1, 1_024))),
  validity: optional(Validity),
  metadata: optional(Metadata)
})
  .check(
    Schema.makeFilter(({ event_types_subscribed, secret, url, validity }) => {
      const named = url != null
      if (named && secret == null) {
        return { path: ["secret"], issue: "Expected the secret that deliveries to this url are signed with" }
      }
      const isMeant = secret != null || validity != null || (event_types_subscribed ?? []).length > 0
      return !named && isMeant ? { path: ["url"], issue: "Expected the url that events are sent to" } : undefined
    })
  )
  .annotate({ identifier: "RunWebhook" })

/** The stored part of it: nothing of a secret in clear. */
export const sealed = Effect.fnUntraced(function* (
  webhooks: Webhooks["Service"],
  sent: typeof RunWebhookRequest.Type | null | undefined
) {
  if (sent === null || sent === undefined) return undefined
  const { event_types_subscribed, metadata, secret, url, validity } = sent
  const request: RunRequest = {
    ...(url == null ? {} : { url }),
    ...(event_types_subscribed == null ? {} : { event_types_subscribed }),
    ...(secret == null ? {} : { secret: Redacted.make(secret) }),
    ...(validity == null ? {} : { validity }),
    ...(metadata == null ? {} : { metadata })
  }
  return yield* webhooks.ofRun(request)
})
