/**
 * Text as HTML.
 */

/** A text that no parser finds markup in. */
export const escapeText = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")

/** Without `<` in it, an attribute is no markup wherever a parser finds it, also in an element whose content is raw text. */
export const escapeAttribute = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")
