/**
 * What selectors match in a document at one moment.
 */
import { type ElementState, maxText, nothing } from "../../../../core/browser/element/ElementState.ts"
import type { Query } from "../../../../core/browser/element/Selector.ts"
import { isField, isPress, squeeze } from "../dom/Text.ts"
import { isVisible } from "../dom/Visible.ts"
import { hasShadow } from "../find/Nodes.ts"
import { evaluate, type Item } from "../find/XPath.ts"

/** The state of what each path selects in the document alone, or else in its shadow roots. */
export const states = (queries: ReadonlyArray<Query>): ReadonlyArray<ElementState> =>
  queries.map((query) => {
    const own = evaluate(query, document, false)
    return stateOf(own.length === 0 && hasShadow() ? evaluate(query, document, true) : own)
  })

/** The state of elements that were found. A text, a number and an attribute count as visible. */
export const stateOf = (found: ReadonlyArray<Item>): ElementState => {
  const shown = found.filter((item) => !(item instanceof Element) || isVisible(item))
  const first = shown[0] ?? found[0]
  if (first === undefined) return nothing
  return {
    matched: found.length,
    visible: shown.length,
    text: textOf(first).slice(0, maxText),
    otherTexts: textsOf(shown.slice(1)),
    values: first instanceof Element ? valuesOf(first) : [],
    isSecret: first instanceof HTMLInputElement && first.type === "password"
  }
}

const textsOf = (items: ReadonlyArray<Item>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let left = maxText
  for (const item of items) {
    if (left <= 0) break
    const text = textOf(item).slice(0, left)
    // Each takes something, so that elements without a text have an end, too.
    left -= text.length + 1
    texts.push(text)
  }
  return texts
}

const textOf = (item: Item): string => {
  if (!(item instanceof Node)) return String(item)
  if (item instanceof HTMLInputElement && isPress(item)) return item.value
  if (item instanceof HTMLElement) return isField(item) ? "" : item.innerText
  return squeeze(item.nodeValue ?? item.textContent)
}

const valuesOf = (element: Element): ReadonlyArray<string> => {
  if (element instanceof HTMLSelectElement) {
    const chosen = [...element.selectedOptions]
    return [chosen.map((option) => option.text).join(", "), chosen.map((option) => option.value).join(", ")]
  }
  if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type)) return [String(element.checked)]
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return [element.value]
  const checked = element.getAttribute("aria-checked")
  if (checked !== null) return [checked]
  return element instanceof HTMLElement && element.isContentEditable ? [element.innerText] : []
}
