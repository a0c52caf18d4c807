/**
 * The document as it is, as HTML.
 */

/** A document that is too long, with its length. */
export interface TooLong {
  readonly characters: number
}

/** The document, if it has at most so many characters. */
export const wholeHtml = (maxCharacters: number): string | TooLong =>
  within(
    (document.doctype === null ? "" : new XMLSerializer().serializeToString(document.doctype)) +
      (document.documentElement?.outerHTML ?? ""),
    maxCharacters
  )

/** A text, if it has at most so many characters. */
export const within = (html: string, maxCharacters: number): string | TooLong =>
  html.length > maxCharacters ? { characters: html.length } : html
