/**
 * The visible part of a page: elements, texts and places.
 */

/** A part of the visible area, in CSS pixels from the upper left corner of the viewport. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** An element of the outline that was made last, or a point of the viewport in CSS pixels. */
export type PointerTarget =
  | { readonly _tag: "Ref"; readonly ref: string }
  | { readonly _tag: "Point"; readonly x: number; readonly y: number }

/** An element that can be acted on. Texts come from the page unchanged and are untrusted. */
export interface OutlineElement {
  /** Its reference, valid until the next outline. */
  readonly ref: string
  readonly role: string
  readonly name: string
  /** The value of a field; never that of a password field. */
  readonly value: string
  /** Such as `disabled`, `checked`, `expanded`. */
  readonly states: ReadonlyArray<string>
  /** Its visible position; `null` when that is not in the viewport. */
  readonly box: Box | null
}

export interface Outline {
  readonly address: string
  readonly title: string
  readonly window: { readonly width: number; readonly height: number }
  /** Elements that can be seen when scrolled to, in document order; elements in frames come last. */
  readonly elements: ReadonlyArray<OutlineElement>
  /** How many elements were left out. */
  readonly more: number
}

/** The element at a point. */
export interface Spot {
  /** The address of the document it belongs to, which in a frame is that of the frame. */
  readonly address: string
  /** An XPath that leads to it alone, through frames and open shadow roots; `null` when none does. */
  readonly selector: string | null
}

/** A text that is visible, and where in the viewport. A password, and a frame that cannot be read, have an empty text. */
export interface Seen {
  readonly text: string
  readonly box: Box
  /** Whether several elements within the box have parts of the text. */
  readonly isSpread?: boolean
}

/** HTML of the readable content, and whether it was cut because it was too long. */
export interface Readable {
  readonly html: string
  readonly cut: boolean
}
