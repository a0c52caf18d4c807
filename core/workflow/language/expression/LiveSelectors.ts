/** Texts with `<<xpath:SELECTOR>>`, which is replaced by the text of the element on the live page. */

const opening = "<<xpath:"

/** A text split into literal parts and selectors. */
export type Part = string | { readonly selector: string }

/** Whether a text contains a selector. */
export const isIn = (text: string): boolean => text.includes(opening)

/**
 * Splits a text. A selector ends at the first `>>` that does not belong to it: one within its quotes or brackets does,
 * and so does one that another selector or path follows, as in `css=x-card >> css=button`. One without an end is literal.
 */
export const split = (text: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let end = 0
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, end)) {
    const start = at + opening.length
    const close = endOf(text, start)
    if (close < 0) break
    if (at > end) parts.push(text.slice(end, at))
    parts.push({ selector: text.slice(start, close) })
    end = close + 2
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** The index of the end of a selector; -1 if it has no end. */
const endOf = (text: string, start: number): number => {
  let quote = ""
  let depth = 0
  const next = text.indexOf(opening, start)
  const limit = next < 0 ? text.length : next
  for (let at = start; at < limit; at++) {
    const one = text.charAt(at)
    if (quote !== "") {
      if (one === quote) quote = ""
    } else if (one === '"' || one === "'") quote = one
    else if (one === "[" || one === "(") depth++
    else if (one === "]" || one === ")") depth--
    else if (depth <= 0 && text.startsWith(">>", at)) {
      const isLast = text.indexOf(">>", at + 2) < 0 || text.indexOf(">>", at + 2) >= limit
      if (isLast || !/^\s*(css=|role=|text=|xpath=|\/)/.test(text.slice(at + 2, at + 40))) return at
      at++
    }
  }
  // Unbalanced brackets or quotation marks: the selector is not an XPath, or an invalid one.
  const first = text.indexOf(">>", start)
  return first < limit ? first : -1
}
