/**
 * The secrets that deliveries are signed with. In clear they exist only where they are sealed and used.
 */
import { Context, Effect, type Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Resealed } from "../../vault/keys/MasterRotation.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { WebhookStore } from "./Webhook.ts"

/** Raised for a secret that was sealed under a master key that this process does not have, or changed since. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {}) {
  override get message() {
    return "The secret of the webhook cannot be unsealed: it was sealed under another master key. Set it again"
  }
}

export class WebhookSecrets extends Context.Service<
  WebhookSecrets,
  {
    /** A new secret: `whsec_` and 256 random bits. */
    readonly make: Effect.Effect<Redacted.Redacted<string>, StoreUnavailable>

    /** Seals the secret with the master key. */
    readonly seal: (secret: Redacted.Redacted<string>) => Effect.Effect<string, StoreUnavailable>

    /** Re-encrypts a sealed secret with the present key; unchanged if it already is. */
    readonly renew: (sealed: string) => Effect.Effect<string, SecretUnreadable | StoreUnavailable>

    /** The lower-case hexadecimal HMAC-SHA256 of the UTF-8 bytes of `body` under a sealed secret. */
    readonly sign: (sealed: string, body: string) => Effect.Effect<string, SecretUnreadable | StoreUnavailable>
  }
>()("sluice/core/event/webhook/WebhookSecrets") {}

/** The last characters of a secret that is long enough to spare them. */
export const hintOf = (secret: string): string => (secret.length < 16 ? "…" : `…${secret.slice(-4)}`)

/**
 * Seals the secrets that are older than the installation's key under that key. A secret in `unreadable` must be set again
 * by the owner of its webhook.
 */
export const resealSecrets = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const webhooks = yield* WebhookStore
  const secrets = yield* WebhookSecrets
  const unreadable: Array<string> = []
  let resealed = 0
  for (const workspace of yield* workspaces.list) {
    for (const { id, sealedSecret } of yield* webhooks.list(workspace.id)) {
      const renewed = yield* Effect.option(secrets.renew(sealedSecret))
      if (renewed._tag === "None") unreadable.push(id)
      else if (renewed.value !== sealedSecret) {
        yield* webhooks
          .change(workspace.id, id, (before) =>
            Result.succeed(before.sealedSecret === sealedSecret ? { ...before, sealedSecret: renewed.value } : before)
          )
          .pipe(Effect.catchTag("KeyTaken", Effect.die))
        resealed++
      }
    }
  }
  return { resealed, unreadable } satisfies Resealed as Resealed
})
