/** Signatures of bundles: Ed25519 under a key that is derived from the key of the installation. */
import { createHmac, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { BundleSigner } from "../../core/run/evidence/BundleSigner.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"

/** The DER prefix of the 32 bytes of an Ed25519 key: RFC 8410. */
const privatePrefix = Buffer.from("302e020100300506032b657004220420", "hex")
const publicPrefix = Buffer.from("302a300506032b6570032100", "hex")

export const layer = Layer.effect(
  BundleSigner,
  Effect.map(InstallationKey, ({ key }) => {
    const seed = createHmac("sha256", Redacted.value(key)).update("sluice evidence bundles").digest()
    const own = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: "der", type: "pkcs8" })
    const published = createPublicKey(own).export({ format: "der", type: "spki" })
    return BundleSigner.of({
      publicKey: published.subarray(publicPrefix.length).toString("hex"),
      sign: (text) => sign(null, Buffer.from(text), own).toString("base64")
    })
  })
)

/** Whether a signature in base64 is that of a text under a public key in hexadecimal. */
export const isSigned = (text: string, signature: string, publicKey: string): boolean => {
  if (!/^[0-9a-f]{64}$/.test(publicKey)) return false
  const key = createPublicKey({
    key: Buffer.concat([publicPrefix, Buffer.from(publicKey, "hex")]),
    format: "der",
    type: "spki"
  })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))
}
