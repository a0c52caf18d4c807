/** A description of the usable elements of a document, for models. */
import { nameOf, roleOf } from "../dom/Names.ts"
import { orNull, squeeze } from "../dom/Text.ts"
import { clickedFor } from "../dom/Visible.ts"
import { keep } from "../find/Kept.ts"
import { idOf } from "../find/Nodes.ts"

const interactive =
  'a[href],button,input:not([type="hidden"]),select,textarea,summary,[contenteditable=""],[contenteditable="true"],[onclick],[tabindex]:not([tabindex="-1"]),' +
  ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "combobox", "textbox", "searchbox"]
    .map((role) => `[role="${role}"]`)
    .join(",")

const maxVisited = 50_000

/**
 * Keeps what is clicked for each element that can be acted on, as `outlined 0` and so on, and returns a description of
 * the elements, in the same order.
 */
export const outline = (maxElements: number) => {
  const { found, more } = actedOn(maxElements)
  for (const [index, { clicked }] of found.entries()) keep(`outlined ${index}`, clicked)
  const listed = found.map(({ clicked, element }) => ({
    role: (orNull(element.getAttribute("role")) ?? kindOf(element)).slice(0, 30),
    name:
      nameOf(element) || squeeze(element.getAttribute("name")).slice(0, 120) || squeeze(idOf(element)).slice(0, 120),
    value: valueOf(element),
    states: statesOf(element),
    box: boxOf(clicked)
  }))
  return { listed, more, title: squeeze(document.title).slice(0, 200), width: innerWidth, height: innerHeight }
}

interface Acted {
  readonly element: Element
  /** The element that a person clicks for it. */
  readonly clicked: Element
}

/** The elements that can be acted on, shadow roots looked into, and how many there are beyond those. */
const actedOn = (maxElements: number): { readonly found: ReadonlyArray<Acted>; readonly more: number } => {
  const found: Array<Acted> = []
  let more = 0
  let visited = 0
  const visit = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll("*")) {
      if (++visited > maxVisited) return
      const clicked = invitesAction(element) ? clickedFor(element) : null
      if (clicked !== null && found.length >= maxElements) more++
      else if (clicked !== null) found.push({ element, clicked })
      if (element.shadowRoot !== null) visit(element.shadowRoot)
    }
  }
  visit(document)
  return { found, more }
}

/** Whether an element is a control, or the outermost one that the pointer takes for one. */
export const invitesAction = (element: Element): boolean =>
  element.matches(interactive) ||
  (getComputedStyle(element).cursor === "pointer" &&
    element.parentElement !== null &&
    getComputedStyle(element.parentElement).cursor !== "pointer" &&
    element.closest("a[href],button,label") === null)

/** The role of an element that has none written on it, in words that also tell kinds of fields from each other. */
export const kindOf = (element: Element): string => {
  if (element instanceof HTMLSelectElement) return "list"
  if (element.tagName === "SUMMARY") return "button"
  const role = roleOf(element) ?? element.tagName.toLowerCase()
  return role === "textbox" && element instanceof HTMLInputElement && element.type !== "text"
    ? `${element.type} field`
    : role
}

const valueOf = (element: Element): string => {
  if (element instanceof HTMLSelectElement) return squeeze(element.selectedOptions[0]?.text).slice(0, 120)
  if (element instanceof HTMLTextAreaElement) return squeeze(element.value).slice(0, 120)
  if (!(element instanceof HTMLInputElement)) return ""
  return /^(password|checkbox|radio|submit|button|reset|file|image)$/.test(element.type)
    ? ""
    : squeeze(element.value).slice(0, 120)
}

const statesOf = (element: Element): ReadonlyArray<string> => {
  const is = (attribute: string) => element.getAttribute(attribute) === "true"
  const states: ReadonlyArray<readonly [string, boolean]> = [
    ["disabled", element.matches(":disabled") || is("aria-disabled")],
    ["checked", (element instanceof HTMLInputElement && element.checked) || is("aria-checked")],
    ["expanded", is("aria-expanded")],
    ["selected", is("aria-selected")],
    ["pressed", is("aria-pressed")],
    ["read-only", "readOnly" in element && element.readOnly === true],
    ["required", "required" in element && element.required === true]
  ]
  return states.flatMap(([name, holds]) => (holds ? [name] : []))
}

/** The part of an element that is in the window; `null` where none is. */
export const boxOf = (element: Element) => {
  const { bottom, left, right, top } = element.getBoundingClientRect()
  if (top >= innerHeight || left >= innerWidth || bottom <= 0 || right <= 0) return null
  const [x, y] = [Math.max(left, 0), Math.max(top, 0)]
  return { x, y, width: Math.min(right, innerWidth) - x, height: Math.min(bottom, innerHeight) - y }
}
