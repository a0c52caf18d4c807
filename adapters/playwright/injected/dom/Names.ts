/**
 * The accessible names and roles of elements, as assistive technology has them.
 */
import { isField, isPress, orNull, says, squeeze } from "./Text.ts"

const roles: Readonly<Record<string, string>> = {
  a: "link",
  button: "button",
  select: "combobox",
  textarea: "textbox"
}

/** The role of an element: the one that it is given, or that of its tag; `null` where the tag has none. */
export const roleOf = (element: Element): string | null => {
  const own = orNull(element.getAttribute("role"))
  if (own !== null) return own
  if (!(element instanceof HTMLInputElement)) return roles[element.tagName.toLowerCase()] ?? null
  if (isPress(element)) return "button"
  return element.type === "checkbox" || element.type === "radio" ? element.type : "textbox"
}

/** The elements of ids that an attribute lists, in the document or shadow root of the element. */
export const named = (element: Element, attribute: string): ReadonlyArray<Element> => {
  // The root of an element in no document may be another one, without `getElementById`.
  const root = element.getRootNode() as Document | ShadowRoot
  return (element.getAttribute(attribute) ?? "")
    .split(/\s+/)
    .flatMap((id) => (id === "" ? [] : (root.getElementById?.(id) ?? [])))
}

/** The text of what labels an element; `null` where nothing does. */
export const labelOf = (element: Element): string | null => {
  // All elements that have labels have them as an input has.
  const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : []
  // The text of a label that holds its field is without what the field says.
  const own = [...named(element, "aria-labelledby"), ...labels].map((label) =>
    squeeze(
      [...label.childNodes].map((node) => (node instanceof Element && isField(node) ? "" : node.textContent)).join(" ")
    )
  )
  return orNull(own.join(" "))
}

/** The alternative text of an element, or of a picture in it. */
export const altOf = (element: Element): string | null =>
  orNull(element.getAttribute("alt") ?? element.querySelector("img[alt]")?.getAttribute("alt"))

/** The accessible name of an element; empty where it has none. */
export const nameOf = (element: Element): string =>
  orNull(element.getAttribute("aria-label")) ??
  labelOf(element) ??
  orNull(says(element)) ??
  altOf(element) ??
  orNull(element.getAttribute("title")) ??
  orNull(element.getAttribute("placeholder")) ??
  ""
