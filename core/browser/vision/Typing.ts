/**
 * A text to type, and how to type it.
 */
import { Effect, Random } from "effect"
import type { Guard } from "../element/ElementQuery.ts"

/** A key or a key combination by name: `Enter`, `Tab`, `Control+a`. */
export interface Key {
  readonly key: string
}

/** The maximum number of characters that are taken from a copy, and that are pasted at once. */
export const maxCopied = 5_000_000

export interface Typing {
  /** Texts and keys in their order. */
  readonly strokes: ReadonlyArray<string | Key>
  /** How to treat present text: replace it, delete it key by key first, or keep it. */
  readonly existing: "replace" | "erase" | "keep"
  /**
   * The pause between two keys, in milliseconds. 0 is as fast as the page takes it: the text is set at once but for its
   * last character, which is a key as from a keyboard, so that a page that listens to keys notices it.
   */
  readonly delayMillis: number
  /** Pauses between keys, used in turn and repeatedly instead of `delayMillis`: people do not type evenly. */
  readonly pauses?: ReadonlyArray<number>
  /** Inserts the text as a paste would. */
  readonly paste: boolean
  /** With `paste`: the text is HTML, of which plain fields get the text. */
  readonly html?: boolean
  /** Fails where the element does not contain the first text afterwards. Absent where the page may clear it. */
  readonly readBack?: boolean
  /** Checks the focused document before each text that is typed there. */
  readonly guard?: Guard | undefined
}

/** A brisk typist's pause between two keys, in milliseconds. */
const keyMillis = 60

/** Most pauses have about that length, some are shorter, and a few are longer. */
const pause = Effect.map(Effect.all([Random.next, Random.next]), ([often, seldom]) =>
  Math.round(keyMillis * (0.5 + often) * (seldom > 0.93 ? 3 : 1))
)

/** Pauses between keys as a person makes them. */
export const byHand: Effect.Effect<Pick<Typing, "delayMillis" | "pauses">> = Effect.map(
  Effect.replicateEffect(pause, 64),
  (pauses) => ({ delayMillis: keyMillis, pauses })
)
