/**
 * What is visible on a page, and actions without a selector: the operations for executions that choose an element by
 * its appearance or by a point.
 */
import type { Effect } from "effect"
import type { ClickKind } from "../element/Target.ts"
import type { PageFailure } from "../PageFailure.ts"
import type { Gesture } from "./Pointer.ts"
import type { Position } from "./Scrolling.ts"
import type { Shot } from "./Shot.ts"
import type { Typing } from "./Typing.ts"

/** A part of what is to be seen, in CSS pixels from the upper left corner of the window. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** An element of the outline that was made last, or a point of the window in CSS pixels. */
export type Place =
  | { readonly _tag: "Ref"; readonly ref: string }
  | { readonly _tag: "Point"; readonly x: number; readonly y: number }

/** An element that can be acted on. Texts come from the page unchanged and are untrusted. */
export interface Outlined {
  /** By which it is named until the next outline is made. */
  readonly ref: string
  readonly role: string
  readonly name: string
  /** The value of a field; never that of a password field. */
  readonly value: string
  /** Such as `disabled`, `checked`, `expanded`. */
  readonly states: ReadonlyArray<string>
  /** Where it is to be seen; `null` when that is not in the window. */
  readonly box: Box | null
}

export interface Outline {
  readonly address: string
  readonly title: string
  readonly window: { readonly width: number; readonly height: number }
  /** Elements that can be seen when scrolled to, in the order of the document, those of frames behind the others. */
  readonly elements: ReadonlyArray<Outlined>
  /** How many elements were left out. */
  readonly more: number
}

/** What is at a place. */
export interface Spot {
  /** The address of the document it belongs to, which in a frame is that of the frame. */
  readonly address: string
  /** An XPath that leads to it alone, through frames and open shadow roots; `null` when none does. */
  readonly selector: string | null
}

/** A text that is to be seen in the window, and where. */
export interface Seen {
  readonly text: string
  readonly box: Box
}

export interface Sight {
  /**
   * The elements that can be acted on, of the whole page and its frames; the refs of the previous outline become
   * invalid.
   */
  readonly outline: (options: { readonly maxElements: number }) => Effect.Effect<Outline, PageFailure>
  /** Visible texts with their positions, including values of fields. Password fields have an empty text. */
  readonly texts: Effect.Effect<ReadonlyArray<Seen>, PageFailure>
  /** A picture of the window, one pixel for each CSS pixel, with boxes covered in it. */
  readonly look: (covered: ReadonlyArray<Box>) => Effect.Effect<Shot, PageFailure>
  /** With a gesture, the mouse goes there as a hand would move it. */
  readonly clickAt: (
    place: Place,
    kind: ClickKind,
    waitMillis: number,
    gesture?: Gesture
  ) => Effect.Effect<void, PageFailure>
  /** Clicks a place and types there. */
  readonly typeAt: (
    place: Place,
    typing: Typing,
    waitMillis: number,
    gesture?: Gesture
  ) => Effect.Effect<void, PageFailure>
  /** What is at a place, or has the focus when it is `null`. */
  readonly spot: (place: Place | null) => Effect.Effect<Spot, PageFailure>
  /**
   * Scrolls the page, or what a selector matches first, by most of what is seen of it. Returns whether anything moved.
   */
  readonly turn: (direction: "down" | "up", container: string | null) => Effect.Effect<boolean, PageFailure>
  /** Brings a place into sight. */
  readonly show: (place: Place, position: Position) => Effect.Effect<void, PageFailure>
  /**
   * What the elements that a selector matches hold, or the whole page without one, as HTML of what can be read: no
   * scripts, styles or pictures, and of the attributes those alone that say what something is, or all but styles and
   * handlers with `metadata`. Values of password fields are left out.
   */
  readonly readable: (options: {
    readonly selector: string | null
    readonly metadata: boolean
    readonly maxCharacters: number
  }) => Effect.Effect<{ readonly html: string; readonly cut: boolean }, PageFailure>
  /** The hosts, with their port, that the windows of the session have been on. */
  readonly visited: Effect.Effect<ReadonlySet<string>>
}
