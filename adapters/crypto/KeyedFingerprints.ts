/** Fingerprints as HMAC-SHA-256 under a key that is derived from the key of the installation. */
import { createHmac } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Fingerprints } from "../../core/vault/keys/Fingerprints.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"

export const layer = Layer.effect(
  Fingerprints,
  Effect.map(InstallationKey, ({ key }) => {
    const derived = createHmac("sha256", Redacted.value(key)).update("sluice fingerprints").digest()
    return Fingerprints.of({
      of: (purpose, text) => createHmac("sha256", derived).update(`${purpose}\n${text}`).digest("hex")
    })
  })
)
