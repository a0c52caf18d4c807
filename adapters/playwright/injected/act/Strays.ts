/**
 * Text that went into another field than the one that was typed into, because the page moved the focus meanwhile.
 */

type Field = HTMLInputElement | HTMLTextAreaElement

const isField = (element: Element | null): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

/** What fields held before one of them was typed into. */
let before: ReadonlyMap<Field, string> = new Map()

const rootOf = (element: Element): Document | ShadowRoot => {
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? root : document
}

/** Notes what the fields beside one hold that is about to be typed into. */
export const noteOthers = (element: Element): void => {
  const others = [...rootOf(element).querySelectorAll<Field>("input,textarea")].filter((one) => one !== element)
  before = new Map(others.map((one) => [one, one.value]))
}

/** Gives the field that has the focus instead of an element its value back, if a part of the text that was typed got there. */
export const takeBack = (text: string, element: Element): void => {
  const other = rootOf(element).activeElement
  if (!isField(other) || other === element) return
  const was = before.get(other)
  const parts = [text, text.slice(0, -1), text.slice(-1)].filter((part) => part !== "")
  if (was === undefined || other.value === was || !parts.some((part) => other.value.includes(part))) return
  other.value = was
  for (const type of ["input", "change"]) other.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
}
