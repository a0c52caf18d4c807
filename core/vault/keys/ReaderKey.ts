/**
 * Which key the holder of an API key reads with, while the workspace exchanges its encryption key.
 */
import type { EncryptionKey, KeyRing } from "./EncryptionKeys.ts"

/** The data of an API key that decide this. */
export interface Reader {
  readonly createdAt: number
  /** The version of the key that its holder last sealed a value with, where that was noted. */
  readonly sealsWith?: number
}

/** The former key that callers may still use; `null` when there is none. */
export const accepted = ({ former }: KeyRing): EncryptionKey | null =>
  former.find(({ retiredAt }) => retiredAt === null) ?? null

/**
 * The version of the key that a reader has: the one that it last sealed with. One that has sealed nothing since the
 * exchange began has the former key, or the present one when the API key is younger than that.
 */
export const effectiveVersion = (ring: KeyRing, { createdAt, sealsWith }: Reader): number => {
  const former = accepted(ring)
  if (former === null || sealsWith === ring.present.version) return ring.present.version
  return sealsWith !== former.version && createdAt >= ring.present.createdAt ? ring.present.version : former.version
}
