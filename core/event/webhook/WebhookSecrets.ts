/**
 * The secrets that deliveries are signed with. In clear they exist only where they are sealed and used.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"

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

    /** Seals the secret under the key of the installation. */
    readonly seal: (secret: Redacted.Redacted<string>) => Effect.Effect<string, StoreUnavailable>

    /** The lower-case hexadecimal HMAC-SHA256 of the UTF-8 bytes of `body` under a sealed secret. */
    readonly sign: (sealed: string, body: string) => Effect.Effect<string, SecretUnreadable | StoreUnavailable>
  }
>()("sluice/core/event/webhook/WebhookSecrets") {}

/** The last characters of a secret that is long enough to spare them. */
export const hintOf = (secret: string): string => (secret.length < 16 ? "…" : `…${secret.slice(-4)}`)
