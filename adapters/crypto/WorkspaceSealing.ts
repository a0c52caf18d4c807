/** Seals with the encryption keys of workspaces, in the form that clients of the interface write and read. */
import { Effect, Layer, Redacted } from "effect"
import type { Aead, SecureRandom } from "effect/crypto"
import { type EncryptionKey, EncryptionKeys, type KeyRing } from "../../core/vault/keys/EncryptionKeys.ts"
import { CannotUnseal, type Cipher, Sealing } from "../../core/vault/keys/Sealing.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import * as AesGcm from "./AesGcm.ts"
import * as VaultValues from "./VaultValues.ts"

interface Opening {
  readonly version: number
  readonly key: Aead.Key
}

export const layer = Layer.effect(
  Sealing,
  Effect.gen(function* () {
    const keys = yield* EncryptionKeys
    const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()

    const opening = ({ key, version }: EncryptionKey) =>
      Effect.map(AesGcm.keyFrom(key), (key): Opening => ({ version, key }))

    const encrypt = ({ key }: Opening, bytes: Uint8Array) => Effect.provide(AesGcm.encrypt(key, bytes), context)

    const move = ({ key }: Opening, bytes: Uint8Array, sealed: string) =>
      Effect.provide(AesGcm.move(key, bytes, sealed), context)

    /** Decrypts with the first of these keys that succeeds. */
    const decrypt = Effect.fnUntraced(function* (tried: ReadonlyArray<Opening>, sealed: string) {
      for (const { key, version } of tried) {
        const bytes = yield* AesGcm.decrypt(key, sealed).pipe(
          Effect.provide(context),
          Effect.catch((reason) => (reason === "key" ? Effect.succeed(null) : Effect.fail(unsealable(reason))))
        )
        if (bytes !== null) return { bytes, version }
      }
      return yield* unsealable("key")
    })

    const make = Effect.fnUntraced(function* (ring: KeyRing): Effect.fn.Return<Cipher> {
      const present = yield* opening(ring.present)
      const former = yield* Effect.forEach(ring.former, opening)
      const all = [present, ...former]
      const accepted = all.filter(
        ({ version }) => ring.former.find((key) => key.version === version)?.retiredAt == null
      )
      const under = (version: number, sealed: string) =>
        Effect.gen(function* () {
          const wanted = all.find((key) => key.version === version) ?? present
          // Try the named key first, which usually succeeds.
          const opened = yield* decrypt([wanted, ...all.filter((key) => key !== wanted)], sealed)
          return opened.version === wanted.version ? sealed : yield* move(wanted, opened.bytes, sealed)
        })
      return {
        keys: ring,
        seal: (value) => encrypt(present, new TextEncoder().encode(JSON.stringify(Redacted.value(value)))),
        unseal: (sealed) => Effect.flatMap(decrypt(all, sealed), ({ bytes }) => VaultValues.read(bytes)),
        accept: Effect.fnUntraced(function* (sealed) {
          const { bytes, version } = yield* decrypt(accepted, sealed)
          const value = yield* VaultValues.read(bytes)
          return { value, version, sealed: version === present.version ? sealed : yield* move(present, bytes, sealed) }
        }),
        under
      }
    })

    const cipher = Effect.fn("Sealing.cipher")((workspaceId: WorkspaceId) =>
      Effect.flatMap(keys.ring(workspaceId), make)
    )

    return Sealing.of({
      cipher,
      seal: (workspaceId, value) => Effect.flatMap(cipher(workspaceId), ({ seal }) => seal(value)),
      unseal: (workspaceId, sealed) => Effect.flatMap(cipher(workspaceId), ({ unseal }) => unseal(sealed))
    })
  })
).pipe(Layer.provide(AesGcm.layer))

const unsealable = (reason: CannotUnseal["reason"]) => new CannotUnseal({ reason })
