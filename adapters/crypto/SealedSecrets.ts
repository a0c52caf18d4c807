/** Webhook secrets, sealed under a key that is derived from the key of the installation, and unsealed only to sign. */
import { createHmac, randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Aead, type SecureRandom } from "effect/crypto"
import { SecretUnreadable, WebhookSecrets } from "../../core/event/webhook/WebhookSecrets.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"
import * as AesGcm from "./AesGcm.ts"

export const layer = Layer.effect(
  WebhookSecrets,
  Effect.gen(function* () {
    const { key } = yield* InstallationKey
    const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()
    const own = yield* Effect.orDie(
      Aead.key(
        Aead.aes256Gcm,
        new Uint8Array(createHmac("sha256", Redacted.value(key)).update("sluice webhook secrets").digest())
      )
    )

    const unseal = (sealed: string) =>
      AesGcm.decrypt(own, sealed).pipe(
        Effect.provide(context),
        Effect.mapError(() => new SecretUnreadable())
      )

    return WebhookSecrets.of({
      make: Effect.sync(() => Redacted.make(`whsec_${randomBytes(32).toString("base64url")}`)),
      seal: (secret) => Effect.provide(AesGcm.encrypt(own, new TextEncoder().encode(Redacted.value(secret))), context),
      sign: (sealed, body) =>
        Effect.map(unseal(sealed), (secret) => createHmac("sha256", secret).update(body, "utf8").digest("hex"))
    })
  })
).pipe(Layer.provide(AesGcm.layer))
