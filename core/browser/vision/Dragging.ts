/**
 * Where in an element the pointer acts, which keys are pressed, and the target of a drag.
 */
import type { ElementQuery } from "../element/ElementQuery.ts"
import type { Gesture } from "./Pointer.ts"

/** A key that is pressed while the pointer acts, by its browser name. */
export type HeldKey = "ControlOrMeta" | "Alt" | "Shift"

/** A distance in CSS pixels. */
export interface Offset {
  readonly x: number
  readonly y: number
}

/** The position of an action in an element, and the pressed keys. */
export interface Aim {
  /** From the upper left corner of the element; a negative number from the right or lower edge. The middle when left out. */
  readonly at?: Offset | undefined
  readonly keys: ReadonlyArray<HeldKey>
}

/** What the pointer is moved to while its left button is held. */
export type Destination =
  /** The one element that matches. It is looked for before the button is pressed. */
  | { readonly kind: "element"; readonly query: ElementQuery; readonly at?: Offset | undefined }
  /** Points in order, each relative to the start of the drag. */
  | { readonly kind: "path"; readonly points: ReadonlyArray<Offset> }
  /** From the beginning to the end of this part of the text of the element, which selects it. */
  | { readonly kind: "text"; readonly text: string }

export interface Drag extends Aim {
  readonly to: Destination
  /** Moves the pointer along a human-like path. */
  readonly gesture?: Gesture | undefined
}

/** How long a drag may take from the press of the button on, in milliseconds. */
export const dragMillis = 60_000
