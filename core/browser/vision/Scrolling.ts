/**
 * Scrolling a page, or a part of it, by the wheel of the mouse.
 */

import type { HeldKey } from "./Dragging.ts"

export type Direction = "up" | "down" | "left" | "right"

/** The alignment of an element in the visible part. */
export type Position = "start" | "center" | "end"

export type Scroll =
  /** Turns the wheel so often over the page, each time by about as much as is seen of it at once. */
  | { readonly kind: "ticks"; readonly direction: Direction; readonly ticks: number }
  /** Scrolls until the one element that matches is in view. */
  | { readonly kind: "element"; readonly selector: string; readonly position: Position }
  /** Scrolls a container until an element in it is there, looking on from its start when it is not found before its end. */
  | {
      readonly kind: "find"
      readonly container: string
      readonly selector: string
      readonly direction: Direction
      readonly position: Position
    }
  /** Scrolls a container to its end. */
  | { readonly kind: "end"; readonly container: string; readonly direction: Direction }
  /** Turns the wheel so often over the one element that matches, by `wheelPixels` each time, whether anything scrolls or not. */
  | {
      readonly kind: "wheel"
      readonly selector: string
      readonly direction: Direction
      readonly ticks: number
      readonly keys: ReadonlyArray<HeldKey>
    }

/** How far a wheel over an element is turned at a time, in CSS pixels: one notch of a usual mouse. */
export const wheelPixels = 100
