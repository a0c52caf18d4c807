/**
 * Pictures of a page.
 */
import type { Effect } from "effect"
import type { Box, Seen } from "./Sight.ts"

export interface Shot {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg"
}

/** What is covered in a picture, by the texts of the page. */
export type Covered = (texts: ReadonlyArray<Seen>) => Effect.Effect<ReadonlyArray<Box>>

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
  readonly covered?: Covered | undefined
}
