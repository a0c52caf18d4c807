/**
 * The selectors that may stand for the choice of an element by a model.
 *
 * A selector is taken only when it depends on what the prompt says and not on what the page shows now: one of several
 * alike elements must be named by the prompt, and every expression of the prompt must be in the selector.
 */
import type { Appearance } from "../../browser/element/Appearance.ts"
import type { Candidate } from "../../browser/element/Likeness.ts"
import { type EvaluatedPrompt, names } from "./PromptWords.ts"

/** The element that a model chose, and what else it might have chosen. */
export interface ChosenElement {
  readonly appearance: Appearance
  /** The selector by which a recorder names it; it leads to this element alone. */
  readonly selector: string
  /** Other elements for the same use. */
  readonly others: ReadonlyArray<Candidate>
  readonly prompt: EvaluatedPrompt
}

/** A selector to be tried on the page, and the same with the expressions of the prompt in the places of their values. */
export interface PlainSelector {
  readonly selector: string
  readonly template: string
}

/** The selectors, the best one first. Empty where none is certain. */
export const selectorsFor = (chosen: ChosenElement): ReadonlyArray<PlainSelector> => {
  const { prompt } = chosen
  if (prompt.expressions.length > 0) return byExpressions(chosen)
  const { selector } = chosen
  return isLasting(selector) && isMeant(chosen) ? [{ selector, template: selector }] : []
}

/** The texts by which a person calls an element. */
const calledBy = ({ alt, ariaLabel, label, placeholder, text, title }: Appearance): ReadonlyArray<string> =>
  [text, ariaLabel, label, placeholder, title, alt].flatMap((name) => (name === null ? [] : [name]))

const isNamed = (prompt: EvaluatedPrompt, element: Appearance): boolean =>
  calledBy(element).some((name) => names(prompt.text, name))

/** Whether no other element can have been meant, or only this one is named. */
const isMeant = ({ appearance, others, prompt, selector }: ChosenElement): boolean => {
  const rivals = others.filter(
    (other) => other.appearance.path !== appearance.path && general(other.appearance.path) === general(appearance.path)
  )
  // What a row shows may be in another row, or elsewhere, the next time. A link named by its text is often data.
  const isRow = inRow.test(appearance.path) || (appearance.tag === "a" && selector.includes("normalize-space"))
  if (rivals.length === 0 && !isRow) return true
  return isNamed(prompt, appearance) && !rivals.some((rival) => isNamed(prompt, rival.appearance))
}

const inRow = /(^|>)(tr|li|article|dd|option)(\[\d+\])?(>|$)/

/** A path without positions: that of all rows of a list is the same. */
const general = (path: string): string => path.replace(/\[\d+\]/g, "")

/** Whether a selector names an element by something that is not its position, nor a value of the page. */
export const isLasting = (selector: string): boolean =>
  selector.startsWith("//") && !/\[\d+\]/.test(selector) && !literalsOf(selector).some((text) => /\d\d/.test(text))

const literalsOf = (selector: string): ReadonlyArray<string> =>
  [...selector.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? "")

/** Whether a value can stand in a selector without ending a text of it. */
export const isQuotable = (value: string): boolean => value.trim() !== "" && !/["'{}<>]/.test(value)

const byExpressions = ({ appearance, prompt, selector }: ChosenElement): ReadonlyArray<PlainSelector> => {
  const { expressions } = prompt
  if (!expressions.every(({ value }) => isQuotable(value))) return []
  const rows = rowsOf(appearance.path).flatMap((row) => marksOf(row, expressions).map((marks) => `//${row}${marks}`))
  const ways = [selector, ...rows.flatMap((row) => ownWays(appearance).map((way) => row + way))]
  return ways.flatMap((way) => {
    const template = withExpressions(way, expressions)
    const rest = template?.replace(/\{\{[^{}]*\}\}/g, "").replace(/\[\*\[\d\]\[/g, "[[") ?? ""
    return template !== null && isLasting(rest) ? [{ selector: way, template }] : []
  })
}

/** The tags around an element that are rows, or stand among their like, the innermost first. */
const rowsOf = (path: string): ReadonlyArray<string> => {
  const tags = path.split(">").slice(0, -1)
  const rows = tags.flatMap((step) => /^(?:(tr|li|article)|(\w+)\[\d+\])$/.exec(step)?.slice(1).find(Boolean) ?? [])
  return [...new Set(rows.map((row) => row.replace(/\[\d+\]$/, "")).filter((row) => row !== "td"))].toReversed()
}

/** How many columns of a table are tried for the one that has the value. */
const mostColumns = 8

/** The tests by which a row has all values: in a table each in one column, as another one may have the same by chance. */
const marksOf = (row: string, expressions: EvaluatedPrompt["expressions"]): ReadonlyArray<string> => {
  const values = expressions.map(({ value }) => value.trim())
  if (row !== "tr") {
    // A short value, or a figure, may be another one's by chance.
    if (!values.every((value) => value.length >= 4 && /\p{L}/u.test(value))) return []
    return [values.map((value) => `[descendant-or-self::*[normalize-space()="${value}"]]`).join("")]
  }
  const [value] = values
  if (value === undefined || values.length > 1) return []
  return Array.from({ length: mostColumns }, (_, at) => `[*[${at + 1}][normalize-space()="${value}"]]`)
}

const ownWays = ({ ariaLabel, name, tag, text, title }: Appearance): ReadonlyArray<string> => {
  const named = (test: string, value: string | null) =>
    value === null || value.includes('"') || value.length > 60 ? [] : [`//${tag}[${test}="${value}"]`]
  return [
    ...named("normalize-space()", text),
    ...named("@aria-label", ariaLabel),
    ...named("@name", name),
    ...named("@title", title),
    `//${tag}`
  ]
}

/** A selector with each value replaced by its expression; `null` where one of them is not in it as a whole. */
const withExpressions = (selector: string, expressions: EvaluatedPrompt["expressions"]): string | null => {
  let whole = selector
  // The longest first, as one value may be a part of another.
  for (const { source, value } of expressions.toSorted((one, other) => other.value.length - one.value.length)) {
    const next = whole.replace(/"[^"]*"/g, (literal) => replaced(literal, value.trim(), `{{${source}}}`))
    if (next === whole) return null
    whole = next
  }
  return whole
}

/** A text with another one in the place of each part that is this one, and no part of a longer word or figure. */
const replaced = (text: string, part: string, other: string): string => {
  const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)
  const pieces: Array<string> = []
  let from = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    if (isLetter(text[at - 1]) || isLetter(text[at + part.length])) continue
    pieces.push(text.slice(from, at), other)
    from = at + part.length
  }
  return [...pieces, text.slice(from)].join("")
}
