/**
 * Pictures of a page.
 */

export interface Shot {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg"
}

/** The extent of a picture of a page. */
export interface Framing {
  /** Whether it shows the whole page, and not only what is seen of it. An element is shown whole. */
  readonly fullPage: boolean
  /** How much it shows around an element, in pixels. */
  readonly margin?: number
  /** How often it scrolls down before, so that the page loads what it shows only then. */
  readonly maxScrolls?: number
  /** How long it waits at most for what comes after each scrolling, in milliseconds. */
  readonly settleMillis?: number
}
