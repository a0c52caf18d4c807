/**
 * Webhook secrets, sealed under a key that is derived from the key of the installation, and unsealed only to sign.
 *
 * `1.` stands before what is sealed so. What has no such beginning is base64url, and was sealed under the master key of
 * its time.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Aead, type SecureRandom } from "effect/crypto"
import { SecretUnreadable, WebhookSecrets } from "../../core/event/webhook/WebhookSecrets.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"
import * as AesGcm from "./AesGcm.ts"

const mark = "1."

export const layer = Layer.effect(
  WebhookSecrets,
  Effect.gen(function* () {
    const { former, key } = yield* InstallationKey
    const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()
    const derived = (secret: Redacted.Redacted<string>) =>
      Effect.orDie(
        Aead.key(
          Aead.aes256Gcm,
          new Uint8Array(createHmac("sha256", Redacted.value(secret)).update("sluice webhook secrets").digest())
        )
      )
    const own = yield* derived(key)
    const masters = yield* Effect.forEach(former, derived)

    const unseal = Effect.fnUntraced(function* (sealed: string) {
      const opened = sealed.startsWith(mark)
        ? AesGcm.decrypt(own, sealed.slice(mark.length))
        : Effect.firstSuccessOf(
            masters.map((master) => AesGcm.decrypt(master, Buffer.from(sealed, "base64url").toString("hex")))
          )
      return yield* opened.pipe(
        Effect.provide(context),
        Effect.mapError(() => new SecretUnreadable())
      )
    })

    const seal = (secret: Uint8Array) =>
      Effect.map(Effect.provide(AesGcm.encrypt(own, secret), context), (text) => mark + text)

    return WebhookSecrets.of({
      make: Effect.sync(() => Redacted.make(`whsec_${randomBytes(32).toString("base64url")}`)),
      seal: (secret) => seal(new TextEncoder().encode(Redacted.value(secret))),
      renew: (sealed) => (sealed.startsWith(mark) ? Effect.succeed(sealed) : Effect.flatMap(unseal(sealed), seal)),
      sign: (sealed, body) =>
        Effect.map(unseal(sealed), (secret) => createHmac("sha256", secret).update(body, "utf8").digest("hex"))
    })
  })
).pipe(Layer.provide(AesGcm.layer))
