/**
 * Identifiers and keys from the runtime's cryptography.
 */
import { hash, randomFillSync } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import { Keys } from "../../core/workspace/Keys.ts"

const identifiers = Layer.sync(Identifiers, () => {
  // Random bytes are drawn in advance, because a draw of few bytes takes as long as one of many.
  const drawn = Buffer.alloc(4_096)
  let used = drawn.length
  const draw = (length: number): Buffer => {
    if (used + length > drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    used += length
    return drawn.subarray(used - length, used)
  }
  return Identifiers.of({ uuid: Effect.map(Clock.currentTimeMillis, (now) => uuidV7(now, draw(10))) })
})

/** RFC 9562: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits. */
const uuidV7 = (now: number, random: Uint8Array): string => {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.set(random, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const keys = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return Keys.of({
      make: Effect.map(random.randomBytes(32), (bytes) => Redacted.make(`sk_${Base64Url.encode(bytes)}`)),
      // Every request hashes a key. For so few bytes, WebCrypto takes a hundred times as long.
      hash: (key) => Effect.sync(() => hash("sha256", Redacted.value(key), "hex"))
    })
  })
)

/** UUIDv7 identifiers whose time is that of the clock in use, and API keys. */
export const layer = Layer.merge(identifiers, Layer.provide(keys, SecureRandom.layerWebCrypto))
