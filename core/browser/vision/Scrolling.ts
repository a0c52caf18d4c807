/**
 * Scrolling a page, or a part of it, by the wheel of the mouse.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../PageFailure.ts"

export type Direction = "up" | "down" | "left" | "right"

/** Where an element comes to lie in the part that is seen. */
export type Position = "start" | "center" | "end"

export type Scroll =
  /** Turns the wheel so often over the page, each time by about as much as is seen of it at once. */
  | { readonly kind: "ticks"; readonly direction: Direction; readonly ticks: number }
  /** Brings the one element that matches into sight, scrolling on until it is there. */
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

export interface Scrolling {
  /**
   * Scrolls, within the time that is given. After each step it waits for what the page loads because of it; at an end it
   * waits for a moment whether more comes, and is done when nothing does.
   */
  readonly scroll: (scroll: Scroll, waitMillis: number) => Effect.Effect<void, PageFailure>
}
