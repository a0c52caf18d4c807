/** The state of the first field that a selector matches. */
export interface InspectedField {
  /** How many elements match. */
  readonly matched: number
  /** Whether the first one is a box for a single character. */
  readonly split: boolean
  /** Whether the first one can be seen and typed into. */
  readonly shown: boolean
  readonly empty: boolean
  /** The complaint of the page about it: that it is marked as invalid, and the texts of errors near it. */
  readonly complaint: string
  /** Names the document; another one after every load. */
  readonly document: string
  /** Whether the document is still being read. */
  readonly loading: boolean
}
