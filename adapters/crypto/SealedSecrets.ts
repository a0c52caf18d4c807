/**
 * Webhook secrets under the master key: sealed with AES-256-GCM, and unsealed only to sign.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { SecretUnreadable, WebhookSecrets } from "../../core/webhook/WebhookSecrets.ts"

const ivBytes = 12
const tagBytes = 16

/** `masterKey` is the key of the installation; secrets are sealed with a key derived from it. */
export const layer = (masterKey: Redacted.Redacted<string>) =>
  Layer.sync(WebhookSecrets, () => {
    const key = createHmac("sha256", Redacted.value(masterKey)).update("sluice webhook secrets").digest()

    const unseal = (sealed: string): Buffer => {
      const bytes = Buffer.from(sealed, "base64url")
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
    }

    return WebhookSecrets.of({
      make: Effect.sync(() => Redacted.make(`whsec_${randomBytes(32).toString("base64url")}`)),
      seal: (secret) =>
        Effect.sync(() => {
          const iv = randomBytes(ivBytes)
          const cipher = createCipheriv("aes-256-gcm", key, iv)
          const sealed = Buffer.concat([cipher.update(Redacted.value(secret), "utf8"), cipher.final()])
          return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString("base64url")
        }),
      sign: (sealed, body) =>
        Effect.try({
          try: () => createHmac("sha256", unseal(sealed)).update(body, "utf8").digest("hex"),
          catch: () => new SecretUnreadable()
        })
    })
  })
