/**
 * Rotates the master key: rewraps every key that is not under the present master key. Each step is independent, so the
 * rotation can be interrupted anywhere, repeated, or run twice concurrently.
 */
import { Effect } from "effect"
import { KeyWrapping, type WrappedKey, WrappedKeys } from "./WrappedKeys.ts"

export interface RotationResult {
  /** How many keys were rewrapped. */
  readonly rewrapped: number
  /** How many were under the present master key already. */
  readonly kept: number
}

export const run = Effect.fn("MasterRotation.run")(function* () {
  const stored = yield* WrappedKeys
  const wrapping = yield* KeyWrapping
  const isOld = ({ under }: WrappedKey) => under !== wrapping.present
  let rewrapped = 0
  let kept = 0
  while (true) {
    const known = yield* stored.list
    if (rewrapped === 0) kept = known.filter((key) => !isOld(key)).length
    const old = known.filter(isOld)
    const rotated: RotationResult = { rewrapped, kept }
    if (old.length === 0) return rotated
    // The installation's key goes first: processes read from it which master key wraps new keys.
    for (const key of old.toSorted((a, b) => rank(a) - rank(b))) {
      const opened = yield* Effect.orDie(wrapping.unwrap(key))
      const wrapped = yield* wrapping.wrap(key, opened.key, wrapping.present)
      if (yield* stored.rewrap(key, { wrapped, under: wrapping.present })) rewrapped++
    }
  }
})

const rank = ({ owner }: WrappedKey) => (owner === "installation" ? 0 : 1)
