/** Signatures under a secret of the installation, for values that clients receive and send back. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

export interface Signatures {
  /** The signature of a text, in base64url. */
  readonly sign: (text: string) => string
  readonly matches: (text: string, signature: string) => boolean
}

/** Signatures for one use, with a key that is derived for it. */
export const make = (secret: Redacted.Redacted<string>, use: string): Signatures => {
  const key = createHmac("sha256", Redacted.value(secret)).update(use).digest()
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url")
  return {
    sign,
    matches: (text, signature) => {
      const given = Buffer.from(signature)
      const expected = Buffer.from(sign(text))
      return given.length === expected.length && timingSafeEqual(given, expected)
    }
  }
}
