/**
 * Values that are cached for one visit to a document. A visit is one task, in which nothing but our own code changes
 * the document.
 */

let visit = 0

/** Begins the next visit. */
export const begin = (): void => {
  visit++
}

/** A value that is made when a visit first asks for it, and again in the next visit. */
export const oncePerVisit = <A>(make: () => A): (() => A) => {
  let madeAt = -1
  let value: A | undefined
  return () => {
    if (madeAt !== visit) {
      value = make()
      madeAt = visit
    }
    return value as A
  }
}

/** A function of an element that is computed once in a visit. */
export const remembered = <A>(compute: (element: Element) => A): ((element: Element) => A) => {
  const known = oncePerVisit(() => new Map<Element, A>())
  return (element) => {
    const all = known()
    const found = all.get(element)
    if (found !== undefined || all.has(element)) return found as A
    const value = compute(element)
    all.set(element, value)
    return value
  }
}
