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
  let made: { readonly at: number; readonly value: A } | null = null
  return () => {
    const value = made !== null && made.at === visit ? made : { at: visit, value: make() }
    made = value
    return value.value
  }
}

/** A function of an element that is computed once in a visit. */
export const remembered = <A>(compute: (element: Element) => A): ((element: Element) => A) => {
  const known = oncePerVisit(() => new Map<Element, A>())
  return (element) => {
    const all = known()
    const found = all.get(element)
    // `undefined` may be a value itself.
    if (found !== undefined || all.has(element)) return found as A
    const value = compute(element)
    all.set(element, value)
    return value
  }
}
