/**
 * Values that functions keep under names in the world of a document, for other functions or to be acted on, for as long
 * as the document is there.
 */

const things = new Map<string, unknown>()

/** Stores a value under a name, and replaces the former one. */
export const keep = (name: string, thing: unknown): void => void things.set(name, thing)

/** The value that is stored under a name. */
export const kept = (name: string): unknown => things.get(name)

/** The element that was kept under a name, in the document or not. Throws if no element was kept. */
export const keptBefore = (name: string): Element => {
  const thing = things.get(name)
  if (!(thing instanceof Element)) throw new Error("sluice:gone")
  return thing
}

/** The elements that were kept under a name; none where none were. */
export const allKept = (name: string): ReadonlyArray<Element> => {
  const all = things.get(name)
  return Array.isArray(all) ? all : []
}

/** The element that was kept under a name; `null` where none was, or it is in the document no longer. */
export const keptElement = (name: string): Element | null => {
  const thing = things.get(name)
  return thing instanceof Element && thing.isConnected ? thing : null
}

/** Adds an element to those that are gathered under a name. */
export const gather = (name: string, element: Element): void => keep(name, [...allKept(name), element])

/** The elements that were gathered under a name, once. */
export const gathered = (name: string): ReadonlyArray<Element> => {
  const all = allKept(name)
  things.delete(name)
  return all
}
