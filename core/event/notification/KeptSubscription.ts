/**
 * Subscriptions as they are kept. The address of a channel may be a secret in itself, so it is kept sealed; a
 * fingerprint shows whether two are equal.
 */
import { Context, Effect, Option, Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Fingerprints } from "../../vault/keys/Fingerprints.ts"
import * as ReencryptionTargets from "../../vault/keys/ReencryptionTargets.ts"
import { type Cipher, Sealing } from "../../vault/keys/Sealing.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { RunSubscription } from "./Notifications.ts"

const KeptChannel = Schema.Union([
  Schema.Struct({ type: Schema.Literal("log") }),
  Schema.Struct({
    type: Schema.Literals(["slack_webhook", "http"]),
    sealed: Schema.String,
    fingerprint: Schema.String
  })
])

export const KeptSubscription = Schema.Struct({ ...RunSubscription.fields, channel: KeptChannel })
export type KeptSubscription = typeof KeptSubscription.Type

/** There is one subscription for a workflow, or for the whole workspace, and a channel. */
export const kind: Kind<KeptSubscription> = {
  name: "run_subscriptions",
  schema: KeptSubscription,
  key: ({ channel, workflowId }) =>
    `${workflowId ?? "workspace"} ${channel.type === "log" ? "log" : `${channel.type} ${channel.fingerprint}`}`
}

export class RunSubscriptionStore extends Context.Service<RunSubscriptionStore, Collection<KeptSubscription>>()(
  "sluice/core/event/notification/RunSubscriptionStore"
) {}

/** The sealed addresses of subscriptions, for the exchange of encryption keys. */
export const sealedPlace = Effect.map(RunSubscriptionStore, (store) =>
  ReencryptionTargets.ofCollection("subscriptions to runs", store, (subscription, renew) =>
    subscription.channel.type === "log"
      ? subscription
      : { ...subscription, channel: { ...subscription.channel, sealed: renew(subscription.channel.sealed) } }
  )
)

/** Converts a subscription to its stored form. */
export const keep = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  { channel, ...rest }: RunSubscription
): Effect.fn.Return<KeptSubscription, StoreUnavailable, Fingerprints | Sealing> {
  if (channel.type === "log") return { ...rest, channel }
  const { type, url } = channel
  const fingerprint = (yield* Fingerprints).of("channel", `${workspaceId} ${type} ${url}`)
  const sealed = yield* (yield* Sealing).seal(workspaceId, Redacted.make(url))
  return { ...rest, channel: { type, sealed, fingerprint } }
})

/** A subscription as it was made; none when its address cannot be opened. */
export const open = Effect.fnUntraced(function* (
  cipher: Cipher,
  { channel, ...rest }: KeptSubscription
): Effect.fn.Return<Option.Option<RunSubscription>> {
  if (channel.type === "log") return Option.some({ ...rest, channel })
  const url = yield* Effect.option(cipher.unseal(channel.sealed))
  return Option.map(url, (value) => ({ ...rest, channel: { type: channel.type, url: String(Redacted.value(value)) } }))
})
