/**
 * Lengths of texts in characters, which are Unicode code points: an emoji outside of the basic plane counts once, and what is
 * composed of several code points counts as these. JSON Schema and PostgreSQL count the same.
 */
import { Schema } from "effect"

/** The number of characters of a text. An unpaired surrogate counts as one. */
export const of = (text: string): number => {
  let pairs = 0
  for (let at = 1; at < text.length; at++) {
    if (isLow(text, at) && isHigh(text, at - 1)) pairs++
  }
  return text.length - pairs
}

/** Whether a text has at most `most` characters. Most of a far longer text is not looked at. */
export const fits = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= 2 * most && of(text) <= most)

/** The beginning of a text, with at most `most` characters. */
export const first = (text: string, most: number): string => {
  if (fits(text, most)) return text
  let end = 0
  for (let count = 0; count < most; count++) end += isHigh(text, end) && isLow(text, end + 1) ? 2 : 1
  return text.slice(0, end)
}

/** The check of a text of at most `most` characters. */
export const atMost = (most: number, annotations: Schema.Annotations.Filter = {}) =>
  Schema.makeFilter<string>((text) => fits(text, most), {
    expected: `a text of at most ${most} characters`,
    ...described(most),
    ...annotations
  })

/** The description of a text of at most `most` characters, which is judged elsewhere. */
export const judgedElsewhere = (most: number) => Schema.makeFilter<string>(() => true, described(most))

const described = (most: number) => ({
  toJsonSchema: () => ({ maxLength: most }),
  arbitraryConstraint: { maxLength: most }
})

const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
