/**
 * Pictures of a page.
 */

export interface Shot {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg"
}

/** The extent of a picture of a page. */
export interface Framing {
  /** Whether it shows the whole page, and not only the viewport. An element is always shown whole. */
  readonly fullPage: boolean
  /** The margin around an element, in pixels. */
  readonly margin?: number
  /** How often it scrolls down first, so that the page loads deferred content. */
  readonly maxScrolls?: number
  /** The longest wait for content after each scroll, in milliseconds. */
  readonly settleMillis?: number
}
