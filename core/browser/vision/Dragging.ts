/**
 * Where in an element the pointer acts, which keys are held, and how something is dragged.
 */
import type { ElementQuery } from "../element/ElementQuery.ts"
import type { Gesture } from "./Pointer.ts"

/** A key that is held while the pointer acts, as browsers call it. */
export type HeldKey = "ControlOrMeta" | "Alt" | "Shift"

/** A distance in CSS pixels. */
export interface Offset {
  readonly x: number
  readonly y: number
}

/** The place of an act in an element, and the keys held. */
export interface Aim {
  /** From the upper left corner of the element; a negative number from the right or lower edge. The middle when left out. */
  readonly at?: Offset | undefined
  readonly keys: ReadonlyArray<HeldKey>
}

/** What the pointer is moved to while its left button is held. */
export type Destination =
  /** The one element that matches. It is looked for before the button is pressed. */
  | { readonly kind: "element"; readonly query: ElementQuery; readonly at?: Offset | undefined }
  /** Points in their order, each as its distance from where the drag begins. */
  | { readonly kind: "path"; readonly points: ReadonlyArray<Offset> }
  /** From the beginning to the end of this stretch of the text of the element, which is selected by that. */
  | { readonly kind: "text"; readonly text: string }

export interface Drag extends Aim {
  readonly to: Destination
  /** Moves the mouse as a hand would. */
  readonly gesture?: Gesture | undefined
}

/** How long a drag may take from the press of the button on, in milliseconds. */
export const dragMillis = 60_000
