/** Names of elements, which no element of another document has. */

const names = new WeakMap<Element, string>()
let named = 0

/** The name of an element, the same as long as its document is there. */
export const nameOf = (element: Element): string => {
  const name = names.get(element) ?? `${Math.random()} ${++named}`
  names.set(element, name)
  return name
}
