/**
 * The browser state of a site as an entry stores it: each part sealed separately.
 */
import { Effect, Redacted } from "effect"
import type { Cipher } from "./keys/Sealing.ts"
import { type BrowserState, browserStateNames, type VaultEntry } from "./VaultEntry.ts"

export const nothing: BrowserState = { cookies: null, local_storage: null, session_storage: null, headers: null }

/**
 * Opens all parts. Values that were sealed here open again: anything else means that the data was changed behind our
 * back.
 */
export const open = Effect.fnUntraced(function* (cipher: Cipher, { fields }: VaultEntry) {
  const state: Record<string, unknown> = { ...nothing }
  for (const name of browserStateNames) {
    const sealed = fields[name]
    if (sealed !== null) state[name] = Redacted.value(yield* Effect.orDie(cipher.unseal(sealed)))
  }
  // Each part was validated before this service sealed it, and only this service can seal.
  return state as unknown as BrowserState
})
