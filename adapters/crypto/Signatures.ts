/**
 * Signatures under secrets of the installation, for what is handed out and comes back.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

/** The first is signed with. A signature under any of them is believed. */
export type Secrets = readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]

export interface Signatures {
  /** The signature of a text, in base64url. */
  readonly sign: (text: string) => string
  readonly matches: (text: string, signature: string) => boolean
}

/** Signatures for one use, with keys that are derived for it. */
export const make = ([first, ...others]: Secrets, use: string): Signatures => {
  const derived = (secret: Redacted.Redacted<string>) =>
    createHmac("sha256", Redacted.value(secret)).update(use).digest()
  const signed = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest("base64url")
  const own = derived(first)
  const keys = [own, ...others.map(derived)]
  return {
    sign: (text) => signed(own, text),
    matches: (text, signature) => {
      const given = Buffer.from(signature)
      return keys.some((key) => {
        const expected = Buffer.from(signed(key, text))
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
    }
  }
}
