/**
 * Seals and unseals values of the vault, for programs with the encryption key of a workspace.
 *
 * **Example** (Sealing a password)
 *
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import * as VaultValues from "@sluice/client/sealing"
 *
 * const program = Effect.gen(function* () {
 *   const key = Redacted.make("00".repeat(32))
 *   const password = yield* VaultValues.seal(key, Redacted.make("tide-and-timber"))
 *   return yield* VaultValues.unseal(key, password)
 * })
 * ```
 */
import { Effect, Redacted, type Schema } from "effect"
import { CannotUnseal } from "../../core/vault/keys/Sealing.ts"
import * as Json from "../../core/workspace/Json.ts"
import * as AesGcm from "./AesGcm.ts"

export type { CannotUnseal } from "../../core/vault/keys/Sealing.ts"

/** Seals the JSON text of a value with a key of 64 hexadecimal digits. Any other key is a defect. */
export const seal = (
  encryptionKey: Redacted.Redacted<string>,
  value: Redacted.Redacted<Schema.Json>
): Effect.Effect<string> =>
  AesGcm.keyFrom(encryptionKey).pipe(
    Effect.flatMap((key) => AesGcm.encrypt(key, new TextEncoder().encode(JSON.stringify(Redacted.value(value))))),
    Effect.provide(AesGcm.layer)
  )

/** Unseals a value that was sealed with a key. */
export const unseal = (
  encryptionKey: Redacted.Redacted<string>,
  sealed: string
): Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal> =>
  AesGcm.keyFrom(encryptionKey).pipe(
    Effect.flatMap((key) => AesGcm.decrypt(key, sealed)),
    Effect.mapError((reason) => new CannotUnseal({ reason })),
    Effect.flatMap(read),
    Effect.provide(AesGcm.layer)
  )

/** The value of a JSON text in UTF-8. */
export const read = (bytes: Uint8Array): Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal> =>
  Effect.try({
    try: () => Redacted.make(Json.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))),
    catch: () => new CannotUnseal({ reason: "json" })
  })
