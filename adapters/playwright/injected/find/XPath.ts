/**
 * The elements that paths mean: by the browser's own engine where it can read them, or else by the engine of XPath 3.1.
 */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import { largestWork } from "./Limits.ts"
import { evaluateModern } from "./ModernXPath.ts"
import { hasShadow, isElement, parentOf } from "./Nodes.ts"

/** The result of a path. */
export type Item = Node | string | number | boolean

/** A path that the browser's own engine reads, and of which type its results are: 0 before the first. */
interface Plain {
  readonly expression: XPathExpression
  type: number
}

/** Paths that were asked for before; `null` for those that the browser's own engine refuses. */
const known = new Map<string, Plain | null>()

const plain = (query: Query): Plain | null => {
  if (query.weight > 0 && document.getElementsByTagName("*").length ** (query.weight + 1) > largestWork) return null
  const before = known.get(query.plain)
  if (before !== undefined) return before
  if (known.size > 500) known.clear()
  const found = compiled(query.plain)
  known.set(query.plain, found)
  return found
}

const compiled = (path: string): Plain | null => {
  try {
    return { expression: document.createExpression(path), type: 0 }
  } catch {
    return null
  }
}

/** Evaluates a path: to nodes, or to a text, number or truth value. `first` stops at the first node. */
export const evaluate = (query: Query, context: Node, whole: boolean, first = false): ReadonlyArray<Item> => {
  const own = whole ? null : plain(query)
  if (own === null) return evaluateModern(query, context, whole)
  if (own.type === 0) own.type = own.expression.evaluate(context, 0).resultType
  if (own.type === 1) return [own.expression.evaluate(context, 1).numberValue]
  if (own.type === 2) return [own.expression.evaluate(context, 2).stringValue]
  if (own.type === 3) return [own.expression.evaluate(context, 3).booleanValue]
  if (first) {
    const node = own.expression.evaluate(context, 9).singleNodeValue
    return node === null ? [] : [node]
  }
  const found = own.expression.evaluate(context, 7)
  return Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at)).filter((node) => node !== null)
}

/** The elements that a path means. Texts stand for the elements that they are in. */
export const elements = (query: Query, whole: boolean): ReadonlyArray<Element> => {
  const found = new Set<Element>()
  for (const item of evaluate(query, document, whole)) {
    if (!(item instanceof Node)) throw new Error("sluice:unreadable it yields a value, not an element")
    const element = item.nodeType === 3 ? parentOf(item) : item
    if (element !== null && isElement(element)) found.add(element)
  }
  return [...found]
}

/** The elements of the document alone, or else of its shadow roots; none for a path that cannot be read. */
export const elementsAnywhere = (query: Query): ReadonlyArray<Element> => {
  try {
    const own = elements(query, false)
    return own.length === 0 && hasShadow() ? elements(query, true) : own
  } catch (error) {
    // The engine that reads it has to be injected first, or it takes too long.
    if (/sluice:(modern|slow)/.test(String(error))) throw error
    return []
  }
}

/** How many elements a path selects in the document alone, at little cost. */
export const countPlain = (query: Query): number => {
  const own = plain(query)
  if (own === null) return 0
  if (own.type === 0) own.type = own.expression.evaluate(document, 0).resultType
  return own.type > 3 ? own.expression.evaluate(document, 6).snapshotLength : 0
}

/** How many elements match in a document alone, and, if none does, with its shadow roots. */
export const counted = (query: Query): { readonly own: number; readonly whole: number } => {
  const own = elements(query, false).length
  return { own, whole: own > 0 || !hasShadow() ? own : elements(query, true).length }
}
