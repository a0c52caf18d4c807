/**
 * What an act on an element would do, as far as its document says it.
 */
import type { ElementFacts } from "../../../../core/browser/element/ElementFacts.ts"
import { isField, isPress, says } from "../dom/Text.ts"
import { around } from "../dom/Tree.ts"
import { attributesOf, controlsOf } from "../find/Nodes.ts"

/** These change when the pointer comes, and tell how an element looks. */
const looks: ReadonlySet<string> = new Set(["class", "style"])

export const factsOf = (element: Element): ElementFacts => {
  const actor = actorOf(element)
  const form = formOf(actor)
  const isLink = actor instanceof HTMLAnchorElement || actor instanceof HTMLAreaElement
  return {
    address: location.href,
    tag: element.tagName.toLowerCase(),
    text: says(element),
    attributes: [...attributesOf(element)]
      .filter(({ name }) => !looks.has(name) && !(name === "value" && isField(element) && !isPress(element)))
      .map(({ name, value }) => ({ name, value }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    link: isLink && actor.hasAttribute("href") ? { address: actor.href, window: actor.target } : null,
    form: form === null ? null : sentBy(form, actor)
  }
}

/** The element that a click on another is for: the link or control that it is in, or that it is a label of. */
export const actorOf = (element: Element): Element => {
  for (let at: Element | null = element; at !== null; at = around(at)) {
    if (at instanceof HTMLLabelElement) return at.control ?? at
    if (at.matches("a[href], area[href], button, input, select, textarea")) return at
  }
  return element
}

const isControl = (element: Element): element is HTMLButtonElement | HTMLInputElement =>
  isField(element) || element instanceof HTMLButtonElement

const formOf = (actor: Element): HTMLFormElement | null =>
  (isControl(actor) ? actor.form : null) ?? actor.closest("form")

/** The attribute of a form, unless the button that sends it has its own. A form hides its properties behind its fields. */
const sentBy = (form: HTMLFormElement, actor: Element): NonNullable<ElementFacts["form"]> => {
  const given = (name: string) =>
    (isControl(actor) ? actor.getAttribute(`form${name}`) : null) ?? form.getAttribute(name) ?? ""
  const action = given("action")
  return {
    address: URL.parse(action, document.baseURI)?.href ?? action,
    method: given("method").toLowerCase() || "get",
    window: given("target"),
    fields: [...controlsOf(form)].flatMap((control) => {
      if (!isField(control) || isPress(control)) return []
      const kind = control.type === "hidden" ? "hidden" : control.type === "password" ? "secret" : "shown"
      return [{ name: control.name || control.id, value: valueOf(control), kind } as const]
    })
  }
}

/** What a field would send. */
const valueOf = (field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): string => {
  if (field instanceof HTMLSelectElement) return JSON.stringify([...field.selectedOptions].map(({ value }) => value))
  if (!(field instanceof HTMLInputElement)) return field.value
  if (/^(checkbox|radio)$/.test(field.type)) return `${field.checked ? "on" : "off"} ${field.value}`
  if (field.type === "file") return JSON.stringify([...(field.files ?? [])].map(({ name, size }) => [name, size]))
  return field.value
}
