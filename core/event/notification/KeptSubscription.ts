/**
 * Subscriptions as they are kept. The address of a channel may be a secret in itself, so it is kept sealed; a fingerprint
 * tells whether two are alike.
 */
import { Context, Effect, Option, Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Fingerprints } from "../../vault/keys/Fingerprints.ts"
import * as SealedPlaces from "../../vault/keys/SealedPlaces.ts"
import { type Cipher, Sealing } from "../../vault/keys/Sealing.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { Channel, channelKey, RunSubscription } from "./Notifications.ts"

/** `Channel` is how channels were kept once; `sealOlder` makes it an exception. */
const KeptChannel = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["slack_webhook", "http"]),
    sealed: Schema.String,
    fingerprint: Schema.String
  }),
  Channel
])

export const KeptSubscription = Schema.Struct({ ...RunSubscription.fields, channel: KeptChannel })
export type KeptSubscription = typeof KeptSubscription.Type

/** There is one subscription for a workflow, or for the whole workspace, and a channel. */
export const kind: Kind<KeptSubscription> = {
  name: "run_subscriptions",
  schema: KeptSubscription,
  key: ({ channel, workflowId }) =>
    `${workflowId ?? "workspace"} ${"sealed" in channel ? `${channel.type} ${channel.fingerprint}` : channelKey(channel)}`
}

export class RunSubscriptionStore extends Context.Service<RunSubscriptionStore, Collection<KeptSubscription>>()(
  "sluice/core/event/notification/RunSubscriptionStore"
) {}

/** Where the sealed addresses of subscriptions are kept, for the exchange of encryption keys. */
export const sealedPlace = Effect.map(RunSubscriptionStore, (store) =>
  SealedPlaces.ofCollection("subscriptions to runs", store, (subscription, renew) =>
    "sealed" in subscription.channel
      ? { ...subscription, channel: { ...subscription.channel, sealed: renew(subscription.channel.sealed) } }
      : subscription
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
  if (!("sealed" in channel)) return Option.some({ ...rest, channel })
  const url = yield* Effect.option(cipher.unseal(channel.sealed))
  return Option.map(url, (value) => ({ ...rest, channel: { type: channel.type, url: String(Redacted.value(value)) } }))
})

/** Seals the addresses that are kept in clear, as they once were. */
export const sealOlder = Effect.gen(function* () {
  const store = yield* RunSubscriptionStore
  for (const { id: workspaceId } of yield* (yield* WorkspaceStore).list) {
    for (const { channel, ...rest } of yield* store.list(workspaceId)) {
      if (channel.type === "log" || "sealed" in channel) continue
      const kept = yield* keep(workspaceId, { ...rest, channel })
      yield* store
        .change(workspaceId, rest.id, (before) => Result.succeed({ ...before, channel: kept.channel }))
        .pipe(
          // An equal sealed subscription exists: merge the events into that one.
          Effect.catchTag("KeyTaken", () =>
            Effect.gen(function* () {
              const other = yield* store.find(workspaceId, kind.key(kept))
              if (Option.isNone(other)) return
              yield* Effect.orDie(
                store.change(workspaceId, other.value.id, (one) =>
                  Result.succeed({ ...one, events: [...new Set([...one.events, ...rest.events])] })
                )
              )
              yield* store.remove(workspaceId, rest.id)
            })
          )
        )
    }
  }
})
