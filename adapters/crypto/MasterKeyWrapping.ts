/**
 * Wraps keys with keys that are derived from the master keys of this process: the current one, and during a rotation
 * the previous one.
 */
import { createHmac } from "node:crypto"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { type Bound, CannotUnwrap, KeyWrapping } from "../../core/vault/keys/WrappedKeys.ts"
import * as AesGcm from "./AesGcm.ts"

/** Raised for a malformed master key. The message does not contain it. */
export class MalformedMasterKey extends Schema.TaggedError<MalformedMasterKey>()("MalformedMasterKey", {}) {
  override get message() {
    return "Cannot use the master key: expected 64 hexadecimal digits"
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const aadOf = ({ owner, version }: Bound): Uint8Array => bytesOf(`${owner} ${version}`)

const derive = Effect.fnUntraced(function* (masterKey: Redacted.Redacted<string>) {
  if (!/^[0-9a-f]{64}$/i.test(Redacted.value(masterKey))) return yield* new MalformedMasterKey()
  const secret = yield* Effect.orDie(Effect.fromResult(Hex.decode(Redacted.value(masterKey))))
  const derived = yield* (yield* Kdf.Kdf)
    .derive(Kdf.hkdfSha256, secret, {
      salt: new Uint8Array(),
      info: bytesOf("sluice workspace encryption keys"),
      length: 32
    })
    .pipe(Effect.orDie)
  const id = createHmac("sha256", secret).update("sluice master key id").digest("hex").slice(0, 16)
  return { id, key: yield* Effect.orDie(Aead.key(Aead.aes256Gcm, derived)) }
})

/** The wrapping of an installation. A wrapped key is bound to its owner and cannot be unwrapped for another. */
export const layer = (masterKey: Redacted.Redacted<string>, previousKey: Redacted.Redacted<string> | null = null) =>
  Layer.effect(
    KeyWrapping,
    Effect.gen(function* () {
      const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()
      const present = yield* derive(masterKey)
      const given = previousKey === null ? null : yield* derive(previousKey)
      const previous = given?.id === present.id ? null : given
      const known = previous === null ? [present] : [present, previous]

      return KeyWrapping.of({
        present: present.id,
        previous: previous?.id ?? null,
        make: Effect.map((yield* SecureRandom.SecureRandom).randomBytes(32), (bytes) =>
          Redacted.make(Hex.encode(bytes))
        ),
        wrap: Effect.fnUntraced(function* (bound, plain, under) {
          const master = known.find(({ id }) => id === under)
          if (master === undefined)
            return yield* Effect.die(new Error(`Expected a master key of this process, got ${under}`))
          const bytes = Hex.decode(Redacted.value(plain))
          if (bytes._tag === "Failure" || bytes.success.length !== 32)
            return yield* Effect.die(new Error("Expected a key of 64 hexadecimal digits"))
          return yield* Effect.provide(AesGcm.encrypt(master.key, bytes.success, aadOf(bound)), context)
        }),
        unwrap: Effect.fnUntraced(function* (kept) {
          for (const { id, key } of known) {
            if (kept.under !== id) continue
            const bytes = yield* AesGcm.decrypt(key, kept.wrapped, aadOf(kept)).pipe(
              Effect.provide(context),
              Effect.catch(() => Effect.succeed(null))
            )
            if (bytes !== null) return { key: Redacted.make(Hex.encode(bytes)), under: id }
          }
          return yield* new CannotUnwrap()
        })
      })
    })
  ).pipe(Layer.provide(AesGcm.layer))
