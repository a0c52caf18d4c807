/**
 * The texts of elements, in one form.
 */

/** A text on one line: white space of any kind and length is one space, and is trimmed at both ends. */
export const squeeze = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

/** The first characters of a squeezed text; `null` where it is empty. */
export const orNull = (text: string | null | undefined, most = 120): string | null => {
  const squeezed = squeeze(text)
  return squeezed === "" ? null : squeezed.slice(0, most)
}

/** An element that is given a value. */
export const isField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  /^(input|textarea|select)$/i.test(element.tagName)

/** A field that is a button. */
export const isPress = (element: Element): boolean =>
  element instanceof HTMLInputElement && /^(submit|button|reset|image)$/.test(element.type)

/** The text of an element itself: never the text typed into a field. */
export const says = (element: Element): string => {
  if (element instanceof HTMLInputElement && isPress(element)) return squeeze(element.value)
  if (isField(element)) return ""
  if (!(element instanceof HTMLElement)) return squeeze(element.textContent)
  return element.isContentEditable ? "" : squeeze(element.innerText)
}
