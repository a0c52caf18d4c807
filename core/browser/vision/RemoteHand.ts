/**
 * Remote control of the active tab by a person, with a mouse and a keyboard.
 */

import { type Effect, Schema } from "effect"
import * as TextLength from "../../window/TextLength.ts"

/** A place in the viewport: 0 is its left or upper edge, 1 its right or lower one. */
const share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const place = { x: share, y: share }
const button = Schema.Literals(["left", "middle", "right"])
const distance = Schema.Finite.check(Schema.isBetween({ minimum: -10_000, maximum: 10_000 }))

/** The longest text of one gesture. */
export const maxTextCharacters = 500

const key = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(32))

/** One movement of the mouse or of a key. `clicks` is 2 for the second press of a double click. */
export const Gesture = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("move"), ...place }),
  Schema.Struct({
    kind: Schema.Literals(["press", "release"]),
    ...place,
    button,
    clicks: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))
  }),
  Schema.Struct({ kind: Schema.Literal("wheel"), ...place, dx: distance, dy: distance }),
  /** A key by its browser name: `a`, `Enter`, `Shift`. */
  Schema.Struct({ kind: Schema.Literals(["key_down", "key_up"]), key }),
  /** Text that is inserted at once, as by a paste. */
  Schema.Struct({
    kind: Schema.Literal("text"),
    text: Schema.String.check(TextLength.atMost(maxTextCharacters))
  })
]).annotate({ identifier: "Gesture" })
export type Gesture = typeof Gesture.Type

export interface RemoteHand {
  /**
   * Performs a gesture in the viewport. It waits for no element and is bounded in time, independent of the page; input
   * that the page ignores is lost.
   */
  readonly gesture: (gesture: Gesture) => Effect.Effect<void>

  /** Releases every pressed button and key, because a pressed one would change the next steps of the run. */
  readonly letGo: Effect.Effect<void>
}
