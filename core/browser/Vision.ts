/**
 * The visible part of a page, and actions on points of it, without a selector: for executions that choose an element by
 * its appearance or by a point.
 */
import type { Effect } from "effect"
import type { ClickKind } from "./element/ElementQuery.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { HeldKey, Offset } from "./vision/Dragging.ts"
import type { Gesture } from "./vision/Pointer.ts"
import type { Position } from "./vision/Scrolling.ts"
import type { Shot } from "./vision/Shot.ts"
import type { Box, Outline, PointerTarget, Seen, Spot } from "./vision/Sight.ts"
import type { Targets } from "./vision/Targets.ts"
import type { Typing } from "./vision/Typing.ts"

export interface Vision {
  /**
   * The elements that can be acted on, of the whole page and its frames; the refs of the previous outline become
   * invalid.
   */
  readonly outline: (options: { readonly maxElements: number }) => Effect.Effect<Outline, PageFailure>
  /**
   * The elements in the viewport, frames included, in document order, each with its selectors. It contains neither values
   * of fields nor elements that are covered by others.
   */
  readonly targets: (options: { readonly maxElements: number }) => Effect.Effect<Targets, PageFailure>
  /** Visible texts with their positions, including values of fields. Password fields have an empty text. */
  readonly texts: Effect.Effect<ReadonlyArray<Seen>, PageFailure>
  /** A picture of the viewport, one pixel for each CSS pixel, with the given boxes masked. */
  readonly look: (covered: ReadonlyArray<Box>) => Effect.Effect<Shot, PageFailure>
  /** Clicks a point. With a gesture, the pointer follows a human-like path. */
  readonly clickAt: (
    place: PointerTarget,
    kind: ClickKind,
    waitMillis: number,
    gesture?: Gesture,
    keys?: ReadonlyArray<HeldKey>
  ) => Effect.Effect<void, PageFailure>
  /** Presses the left button at a point, moves through points, each given by its distance from it, and releases it. */
  readonly dragAt: (
    point: Offset,
    points: ReadonlyArray<Offset>,
    keys: ReadonlyArray<HeldKey>,
    gesture?: Gesture
  ) => Effect.Effect<void, PageFailure>
  /** Clicks a point and types there. */
  readonly typeAt: (
    place: PointerTarget,
    typing: Typing,
    waitMillis: number,
    gesture?: Gesture
  ) => Effect.Effect<void, PageFailure>
  /** The element at a point, or the focused element when it is `null`. */
  readonly spot: (place: PointerTarget | null) => Effect.Effect<Spot, PageFailure>
  /** Scrolls a point into view. */
  readonly show: (place: PointerTarget, position: Position) => Effect.Effect<void, PageFailure>
}
