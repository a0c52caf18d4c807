/**
 * Identifiers and keys from the runtime's cryptography.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import { Keys } from "../../core/workspace/Keys.ts"

const identifiers = Layer.effect(
  Identifiers,
  Effect.map(SecureRandom.SecureRandom, (random) => Identifiers.of({ uuid: random.uuidV7() }))
)

const keys = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return Keys.of({
      make: Effect.map(random.randomBytes(32), (bytes) => Redacted.make(`sk_${Base64Url.encode(bytes)}`)),
      // Every request hashes a key, and WebCrypto takes a hundred times as long over so few bytes.
      hash: (key) => Effect.sync(() => createHash("sha256").update(Redacted.value(key)).digest("hex"))
    })
  })
)

/** UUIDv7 identifiers whose time is that of the clock in use, and API keys. */
export const layer = Layer.merge(identifiers, keys).pipe(Layer.provide(SecureRandom.layerWebCrypto))
