/**
 * Scrolling a page, or a part of it, by the wheel of the mouse.
 */

import type { HeldKey } from "./Dragging.ts"

export type Direction = "up" | "down" | "left" | "right"

/** The alignment of an element in the visible part. */
export type Position = "start" | "center" | "end"

export type Scroll =
  /** Turns the wheel over the page this many times, each time by about the height of the viewport. */
  | { readonly kind: "ticks"; readonly direction: Direction; readonly ticks: number }
  /** Scrolls until the one element that matches is in view. */
  | { readonly kind: "element"; readonly selector: string; readonly position: Position }
  /** Scrolls a container until an element in it exists; from its start again if none was found before its end. */
  | {
      readonly kind: "find"
      readonly container: string
      readonly selector: string
      readonly direction: Direction
      readonly position: Position
    }
  /** Scrolls a container to its end. */
  | { readonly kind: "end"; readonly container: string; readonly direction: Direction }
  /** Turns the wheel this many times over the matching element, by `wheelPixels` each, whether anything scrolls or not. */
  | {
      readonly kind: "wheel"
      readonly selector: string
      readonly direction: Direction
      readonly ticks: number
      readonly keys: ReadonlyArray<HeldKey>
    }

/** The distance of one turn of the wheel over an element, in CSS pixels: one notch of a typical mouse. */
export const wheelPixels = 100
