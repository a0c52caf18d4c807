/**
 * The appearance of an element, to find it again where its selector does not.
 */
import type { Appearance } from "../../../../core/browser/element/Appearance.ts"
import { altOf, labelOf, roleOf } from "../dom/Names.ts"
import { isField, isPress, orNull, says } from "../dom/Text.ts"
import { controlsOf, idOf } from "../find/Nodes.ts"
import { steps, testIds } from "../find/Selectors.ts"

export const appearanceOf = (element: Element): Appearance => ({
  tag: element.tagName.toLowerCase(),
  id: orNull(idOf(element)),
  testId: orNull(testIds.map((name) => element.getAttribute(name)).find((value) => value !== null)),
  name: orNull(element.getAttribute("name")),
  type: isField(element) || element instanceof HTMLButtonElement ? orNull(element.type) : null,
  role: roleOf(element),
  ariaLabel: orNull(element.getAttribute("aria-label")),
  label: labelOf(element) ?? danglingLabelOf(element),
  placeholder: orNull(element.getAttribute("placeholder")),
  title: orNull(element.getAttribute("title")),
  alt: altOf(element),
  hrefPath: hrefPath(element),
  signIn: signInOf(element),
  text: orNull(says(element)),
  section: sectionOf(element),
  before: beside(element, "previousSibling"),
  after: beside(element, "nextSibling"),
  path: steps(element).join(">")
})

/** How many boxes around a field may begin with it, for a label before them to be its label. */
const mostBoxes = 3

/**
 * The text of a label before a field that labels nothing, because the field has another id by now. The field may be the
 * first in a few boxes after that. Browsers do not take it for a label, but persons do.
 */
const danglingLabelOf = (element: Element): string | null => {
  let first: Element | null = isField(element) ? element : null
  for (let boxes = 0; first !== null && boxes <= mostBoxes; boxes++) {
    const before = first.previousElementSibling
    if (before !== null)
      return before instanceof HTMLLabelElement && before.control === null ? orNull(before.textContent) : null
    first = first.parentElement
  }
  return null
}

const hrefPath = (element: Element): string | null =>
  element instanceof HTMLAnchorElement && /^https?:/.test(element.href) ? orNull(new URL(element.href).pathname) : null

const isSubmit = (element: Element): element is HTMLButtonElement | HTMLInputElement =>
  (element instanceof HTMLButtonElement && element.type === "submit") ||
  (element instanceof HTMLInputElement && /^(submit|image)$/.test(element.type))

/** The names of the fields of a sign-in form, for the only button that submits it: one password, and something before. */
const signInOf = (element: Element): string | null => {
  const form = isSubmit(element) ? element.form : null
  if (form === null) return null
  const names: Array<string> = []
  let passwords = 0
  for (const one of controlsOf(form)) {
    if (one !== element && isSubmit(one)) return null
    if (!isField(one) || isPress(one) || one.type === "hidden") continue
    if (one.type === "password") {
      if (names.length === 0) return null
      passwords++
    }
    names.push(one.name)
  }
  return passwords === 1 ? orNull(names.join(" ")) : null
}

/** The name of the part of the page that contains an element. */
const sectionOf = (element: Element): string | null => {
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    const own = orNull(outer.getAttribute("aria-label"))
    if (own !== null) return own
    const heading = outer.querySelector(":scope > legend, h1, h2, h3, h4, h5, h6, [role=heading]")
    if (heading !== null && !heading.contains(element)) return orNull(heading.textContent)
  }
  return null
}

/** The text next to an element; `null` where a field comes before it. */
const beside = (element: Element, way: "previousSibling" | "nextSibling"): string | null => {
  for (let at: Node | null = element; at !== null && at !== document.body; at = at.parentNode) {
    for (let next = at[way]; next !== null; next = next[way]) {
      if (next instanceof Element && isField(next)) return null
      const text = orNull(next.textContent, 60)
      if (text !== null) return text
    }
  }
  return null
}
