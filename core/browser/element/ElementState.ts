/** What a selector matches at one moment, as a person sees it. */
export interface ElementState {
  /** How many elements match, also hidden ones. */
  readonly matched: number
  /** How many of them a person sees, or would once they are scrolled to. */
  readonly visible: number
  /** The text of the first one that is visible, or else of the first one; `null` where none matches. Cut at `maxText`. */
  readonly text: string | null
  /** The texts of the other ones that are visible, in the order of the document. Cut at `maxText` together. */
  readonly otherTexts: ReadonlyArray<string>
  /**
   * What the first one one holds, in each way that a person may say it: the text of a field, the text and the value of the
   * chosen option, `true` or `false` of a box. Empty for what is no field.
   */
  readonly values: ReadonlyArray<string>
  /** Whether it hides what is typed into it, as fields for passwords do. */
  readonly isSecret: boolean
}

/** Maximum length of a text, and of all other texts together, in characters. */
export const maxText = 500_000

/** The state of a selector that matches nothing. */
export const nothing: ElementState = { matched: 0, visible: 0, text: null, otherTexts: [], values: [], isSecret: false }
