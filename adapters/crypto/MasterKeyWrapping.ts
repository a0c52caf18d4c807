/**
 * Wraps the encryption keys of workspaces with a key that is derived from the master key of the installation.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { CannotUnwrap, KeyWrapping } from "../../core/vault/WrappedKeys.ts"
import * as AesGcm from "./AesGcm.ts"

/** Raised for a master key that is none. It does not repeat it. */
export class MalformedMasterKey extends Schema.TaggedError<MalformedMasterKey>()("MalformedMasterKey", {}) {
  override get message() {
    return "Cannot use the master key: expected 64 hexadecimal digits"
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The wrapping of an installation. A wrapped key is bound to its workspace: it unwraps for no other. */
export const layer = (masterKey: Redacted.Redacted<string>) =>
  Layer.effect(
    KeyWrapping,
    Effect.gen(function* () {
      if (!/^[0-9a-f]{64}$/i.test(Redacted.value(masterKey))) return yield* new MalformedMasterKey()
      const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()
      const secret = yield* Effect.orDie(Effect.fromResult(Hex.decode(Redacted.value(masterKey))))
      const derived = yield* (yield* Kdf.Kdf)
        .derive(Kdf.hkdfSha256, secret, {
          salt: new Uint8Array(),
          info: bytesOf("sluice workspace encryption keys"),
          length: 32
        })
        .pipe(Effect.orDie)
      const key = yield* Effect.orDie(Aead.key(Aead.aes256Gcm, derived))

      return KeyWrapping.of({
        make: Effect.map((yield* SecureRandom.SecureRandom).randomBytes(32), (bytes) =>
          Redacted.make(Hex.encode(bytes))
        ),
        wrap: (workspaceId, plain) =>
          Effect.fromResult(Hex.decode(Redacted.value(plain))).pipe(
            Effect.mapError(() => new Error("Expected a key of 64 hexadecimal digits")),
            Effect.orDie,
            Effect.flatMap((bytes) => AesGcm.encrypt(key, bytes, bytesOf(workspaceId))),
            Effect.provide(context)
          ),
        unwrap: (workspaceId, wrapped) =>
          AesGcm.decrypt(key, wrapped, bytesOf(workspaceId)).pipe(
            Effect.map((bytes) => Redacted.make(Hex.encode(bytes))),
            Effect.mapError(() => new CannotUnwrap()),
            Effect.provide(context)
          )
      })
    })
  ).pipe(Layer.provide(AesGcm.layer))
