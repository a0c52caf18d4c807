/**
 * Style sheets as text within HTML.
 */

/** The rules of a style sheet; none where they may not be read. */
export const rulesOf = (sheet: CSSStyleSheet | null): string => {
  try {
    return [...(sheet?.cssRules ?? [])].map((rule) => rule.cssText).join("\n")
  } catch {
    return ""
  }
}

/** Rules in which nothing can begin a tag or a comment. The replacement is an escape of CSS. */
export const styleText = (text: string): string => text.replace(/<(?=[a-z/!?])/gi, "\\3c ")

/** The style sheets that a script gave to a document or shadow root. */
export const adopted = (root: Document | ShadowRoot): string => {
  const rules = [...root.adoptedStyleSheets].map(rulesOf).join("\n")
  return rules === "" ? "" : `<style>${styleText(rules)}</style>`
}
