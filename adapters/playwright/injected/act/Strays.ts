/**
 * Text that went into other fields than the one that was typed into: because the page moved the focus meanwhile, or spread
 * the text itself, as boxes of a code do.
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
  const others = [...rootOf(element).querySelectorAll<Field>("input,textarea")].filter((field) => field !== element)
  before = new Map(others.map((field) => [field, field.value]))
  if (isField(element)) values.set(element, element.value)
}

/** Notes what an editor shows that is about to be typed into. */
export const noteBefore = (editor: Element, text: string): void => void values.set(editor, text)

const values = new WeakMap<Element, string>()

/** What a field held before it was last typed into; `null` where it was not. */
export const valueBefore = (element: Element): string | null => values.get(element) ?? null

/**
 * Gives the field that has the focus instead of an element its value back, if a part of the text that was typed got there;
 * and the one that got the last key alone, from where the focus has moved on.
 */
export const takeBack = (text: string, element: Element): void => {
  const active = rootOf(element).activeElement
  const parts = [text, text.slice(0, -1), text.slice(-1)].filter((part) => part !== "")
  for (const [other, was] of before) {
    const { value } = other
    if (value === was || !other.isConnected) continue
    const isStray = other === active ? parts.some((part) => value.includes(part)) : value === text.slice(-1)
    if (!isStray) continue
    other.value = was
    for (const type of ["input", "change"]) other.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
  }
}

/** The characters of a text, without what only groups them. */
const bare = (text: string): string => text.replace(/[\s-]/g, "")

/**
 * Whether a text stands in an element and the fields that follow it, each with a part: three of them or more, or the
 * element is full.
 */
export const isSpread = (text: string, element: Element): boolean => {
  if (!isField(element)) return false
  const fields = [...rootOf(element).querySelectorAll<Field>("input:not([type=hidden]),textarea")]
  const wanted = bare(text)
  let held = ""
  let count = 0
  for (const field of fields.slice(fields.indexOf(element))) {
    const part = bare(field.value)
    if (part === "" || held.length >= wanted.length) break
    held += part
    count++
  }
  return held === wanted && (count > 2 || (count === 2 && element.value.length === element.maxLength))
}
