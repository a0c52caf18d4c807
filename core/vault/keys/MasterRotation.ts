/**
 * Rotates the master key: rewraps every key that is not under the present master key, and re-encrypts the values that
 * were once sealed directly under a master key. Each step is independent, so the rotation can be interrupted anywhere,
 * repeated, or run twice concurrently.
 */
import { Effect } from "effect"
import { KeyWrapping, type WrappedKey, WrappedKeys } from "./WrappedKeys.ts"

/** What became of secrets that were sealed under a master key itself. */
export interface Resealed {
  /** How many were sealed again. */
  readonly resealed: number
  /** The ids of those that no master key of this process opens. */
  readonly unreadable: ReadonlyArray<string>
}

export interface Rotated extends Resealed {
  /** How many keys were rewrapped. */
  readonly rewrapped: number
  /** How many were under the present master key already. */
  readonly kept: number
}

/** `reseal` seals again what rooms above the vault have sealed under a master key. It runs first. */
export const run = Effect.fn("MasterRotation.run")(function* <E, R>(reseal: Effect.Effect<Resealed, E, R>) {
  const stored = yield* WrappedKeys
  const wrapping = yield* KeyWrapping
  const { resealed, unreadable } = yield* reseal
  const isOld = ({ under }: WrappedKey) => under !== wrapping.present
  let rewrapped = 0
  let kept = 0
  while (true) {
    const known = yield* stored.list
    if (rewrapped === 0) kept = known.filter((key) => !isOld(key)).length
    const old = known.filter(isOld)
    if (old.length === 0) return { rewrapped, kept, resealed, unreadable } satisfies Rotated as Rotated
    // The installation's key goes first: processes read from it which master key wraps new keys.
    for (const key of old.toSorted((a, b) => rank(a) - rank(b))) {
      const opened = yield* Effect.orDie(wrapping.unwrap(key))
      const wrapped = yield* wrapping.wrap(key, opened.key, wrapping.present)
      if (yield* stored.rewrap(key, { wrapped, under: wrapping.present })) rewrapped++
    }
  }
})

const rank = ({ owner }: WrappedKey) => (owner === "installation" ? 0 : 1)
