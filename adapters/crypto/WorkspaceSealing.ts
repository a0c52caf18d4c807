/** Seals with the encryption keys of workspaces, in the form that clients of the interface write and read. */
import { Effect, Layer, Redacted, type Schema } from "effect"
import type { Aead, SecureRandom } from "effect/crypto"
import { EncryptionKeys } from "../../core/vault/EncryptionKeys.ts"
import { CannotUnseal, Sealing } from "../../core/vault/Sealing.ts"
import type { WorkspaceId } from "../../core/workspace/Workspace.ts"
import * as AesGcm from "./AesGcm.ts"

export const layer = Layer.effect(
  Sealing,
  Effect.gen(function* () {
    const keys = yield* EncryptionKeys
    const context = yield* Effect.context<Aead.Aead | SecureRandom.SecureRandom>()

    const cipher = Effect.fn("Sealing.cipher")(function* (workspaceId: WorkspaceId) {
      const key = yield* AesGcm.keyFrom(yield* keys.of(workspaceId))
      return {
        seal: (value: Redacted.Redacted<Schema.Json>) =>
          AesGcm.encrypt(key, new TextEncoder().encode(JSON.stringify(Redacted.value(value)))).pipe(
            Effect.provide(context)
          ),
        unseal: (sealed: string) =>
          AesGcm.decrypt(key, sealed).pipe(
            Effect.flatMap(json),
            Effect.mapError((reason) => new CannotUnseal({ reason })),
            Effect.provide(context)
          )
      }
    })

    return Sealing.of({
      cipher,
      seal: (workspaceId, value) => Effect.flatMap(cipher(workspaceId), ({ seal }) => seal(value)),
      unseal: (workspaceId, sealed) => Effect.flatMap(cipher(workspaceId), ({ unseal }) => unseal(sealed))
    })
  })
).pipe(Layer.provide(AesGcm.layer))

const json = (bytes: Uint8Array) =>
  Effect.try({
    try: () =>
      Redacted.make(
        JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) as Schema.Json
      ),
    catch: () => "json" as const
  })
