/** AES-256-GCM for all sealed values, in one form: a random 12-byte IV, the ciphertext and its tag, in hexadecimal. */
import { Effect, Layer, Redacted, Result } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { markOf } from "../../core/vault/keys/Sealing.ts"

const ivBytes = 12
const tagBytes = 16

/** A key from its 64 hexadecimal digits. Other texts are a defect. */
export const keyFrom = (hex: Redacted.Redacted<string>) =>
  Effect.fromResult(Hex.decode(Redacted.value(hex))).pipe(
    // The defect must not contain the text.
    Effect.mapError(() => new Error("Expected a key of 64 hexadecimal digits")),
    Effect.flatMap((bytes) => Aead.key(Aead.aes256Gcm, bytes)),
    Effect.orDie
  )

export const encrypt = Effect.fnUntraced(function* (key: Aead.Key, plain: Uint8Array, aad?: Uint8Array) {
  return yield* encryptWith(key, plain, yield* (yield* SecureRandom.SecureRandom).randomBytes(ivBytes), aad)
})

/**
 * The same plaintext under another key, with the mark of its sealed text. The rest of the IV is random: a caller who chose
 * one IV for two values does not make the service use it twice with a key that the caller does not have.
 */
export const move = Effect.fnUntraced(function* (key: Aead.Key, plain: Uint8Array, sealed: string) {
  const iv = yield* (yield* SecureRandom.SecureRandom).randomBytes(ivBytes)
  iv.set(yield* Effect.orDie(Effect.fromResult(Hex.decode(markOf(sealed)))))
  return yield* encryptWith(key, plain, iv)
})

const encryptWith = Effect.fnUntraced(function* (
  key: Aead.Key,
  plain: Uint8Array,
  nonce: Uint8Array,
  aad?: Uint8Array
) {
  const sealed = yield* Effect.orDie((yield* Aead.Aead).encrypt(key, plain, { nonce, aad }))
  return Hex.encode(nonce) + Hex.encode(sealed)
})

/** The plaintext. Fails if the text has another form, or if another key or `aad` was used. */
export const decrypt = Effect.fnUntraced(function* (key: Aead.Key, text: string, aad?: Uint8Array) {
  const bytes = Hex.decode(text)
  if (Result.isFailure(bytes) || bytes.success.length < ivBytes + tagBytes) return yield* Effect.fail("form" as const)
  const [nonce, sealed] = [bytes.success.slice(0, ivBytes), bytes.success.slice(ivBytes)]
  return yield* (yield* Aead.Aead).decrypt(key, sealed, { nonce, aad }).pipe(Effect.mapError(() => "key" as const))
})

/** The services of the runtime that these functions need. */
export const layer = Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
