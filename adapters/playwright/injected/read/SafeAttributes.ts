/**
 * The attributes of a document that is shown without behaviour.
 */

import { attributesOf } from "../find/Nodes.ts"
import { escapeAttribute } from "./Escape.ts"

const largestAttribute = 262_144
const safeName = /^[^\s"'<>/=`]+$/
const addresses = new Set(["href", "src", "action", "formaction", "xlink:href", "data", "poster", "background"])

/** The attributes of an element as HTML, without those that act or load a document, and without secrets. */
export const safeAttributes = (element: Element): string => {
  const attributes = new Map<string, string>()
  for (const { name, value } of attributesOf(element)) {
    const lower = name.toLowerCase()
    if (!safeName.test(name)) continue
    if (lower.startsWith("on") || lower === "srcdoc" || lower === "nonce" || lower === "integrity") continue
    // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers pass over these characters in an address
    if (addresses.has(lower) && /^(javascript|vbscript):/i.test(value.replace(/[\u0000-\u0020]/g, ""))) continue
    if (isSecret(element) && lower !== "type" && value !== "" && "value" in element && value === element.value) continue
    attributes.set(name, value.length > largestAttribute ? "" : value)
  }
  // One that is shown stays so without the script that showed it.
  if (attributes.has("popover") && element.matches(":popover-open")) attributes.delete("popover")
  for (const [name, value] of Object.entries(stateOf(element))) {
    if (value === null) attributes.delete(name)
    else attributes.set(name, value)
  }
  return [...attributes].map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join("")
}

/** An attribute by its name in lower case: outside of HTML, a name may have capitals that a parser of HTML lowers. */
export const attributeOf = (element: Element, wanted: string): string | null =>
  [...attributesOf(element)].find(({ name }) => name.toLowerCase() === wanted)?.value ?? null

/** The constructors of the document that an element is in, which in a frame are others than ours. */
export const viewOf = (element: Element): (Window & typeof globalThis) | null => element.ownerDocument.defaultView

const isSecret = (field: Element): boolean =>
  field instanceof (viewOf(field) ?? window).HTMLInputElement &&
  (field.type === "password" ||
    field.getAttribute("type")?.toLowerCase() === "password" ||
    /password|one-time-code|cc-number|cc-csc/.test(field.autocomplete) ||
    // One of the boxes that a code is typed into.
    field.maxLength === 1)

/** The present value of a field, as attributes in place of those that it was written with. */
const stateOf = (element: Element): Readonly<Record<string, string | null>> => {
  const view = viewOf(element)
  if (view === null) return {}
  if (element instanceof view.HTMLInputElement) {
    if (isSecret(element) || element.type === "file") return { value: null }
    if (element.type === "checkbox" || element.type === "radio") return { checked: element.checked ? "" : null }
    return { value: element.value === "" ? null : element.value }
  }
  if (element instanceof view.HTMLOptionElement) return { selected: element.selected ? "" : null }
  if (element instanceof view.HTMLDetailsElement || element instanceof view.HTMLDialogElement) {
    return { open: element.open ? "" : null }
  }
  return {}
}
