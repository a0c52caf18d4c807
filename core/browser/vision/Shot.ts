/**
 * Pictures of a page.
 */
import type { Target } from "../element/Target.ts"

export interface Shot {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg"
}

/** What a picture shows of a page. */
export interface Framing {
  readonly fullPage: boolean
  /** The element that it shows, instead of the whole page or what is seen of it. */
  readonly target?: Target
  /** How much it shows around the element, in pixels. */
  readonly margin?: number
  /** How often it scrolls down before, so that the page loads what it shows only then. */
  readonly maxScrolls?: number
  /** How long it waits at most for what comes after each scrolling, in milliseconds. */
  readonly settleMillis?: number
}
