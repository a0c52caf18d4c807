/**
 * Selectors that lead to one element alone, for people to read and keep.
 */

import { isPress, says } from "../dom/Text.ts"
import { around, everything } from "../dom/Tree.ts"
import { oncePerVisit } from "../dom/Visit.ts"
import { innerOf } from "./Nodes.ts"

/** The attributes that tests use to name elements. */
export const testIds: ReadonlyArray<string> = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"]

const naming = [...testIds, "id", "name", "aria-label", "placeholder", "title", "alt"]

/** A selector that leads to an element alone: by its name where that is enough, or by its position. */
export const selectorOf = (element: Element): string => {
  const root = element.getRootNode()
  if (root instanceof ShadowRoot) return inShadow(element, root)
  const ways = named(element)
  const alone = ways.find((way) => leadsTo(way, element))
  if (alone !== undefined) return alone
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    const at = outer
    const place = named(at).find((way) => !way.includes("normalize-space") && leadsTo(way, at))
    // A frame is often the only one in what is called something, and is not called anything itself.
    const inside = /^i?frame$/i.test(element.tagName) ? [...ways, `//${element.tagName.toLowerCase()}`] : ways
    const within = place === undefined ? undefined : inside.find((way) => leadsTo(place + way, element))
    if (place !== undefined && within !== undefined) return place + within
  }
  return `/${steps(element).join("/")}`
}

/** Every selector that names an element, with how many elements it matches: the one that leads to it alone first. */
export const selectorsOf = (
  element: Element
): ReadonlyArray<{ readonly selector: string; readonly matches: number }> => {
  const best = selectorOf(element)
  if (element.getRootNode() instanceof ShadowRoot) return [{ selector: best, matches: 1 }]
  const others = [...named(element), `/${steps(element).join("/")}`].filter((way) => way !== best)
  return [{ selector: best, matches: 1 }, ...others.map((selector) => ({ selector, matches: matchesOf(selector) }))]
}

/** How many elements of the document a path matches. */
export const matchesOf = (xpath: string): number =>
  document.evaluate(`count(${xpath})`, document, null, XPathResult.NUMBER_TYPE, null).numberValue

/** The tags from the root of the document or shadow root to an element, with its position among those like it. */
export const steps = (element: Element): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    path.unshift(`${nameTest(at)}${position(at, [...(at.parentElement === null ? [] : innerOf(at.parentElement))])}`)
  }
  return path
}

/** What a step of a path names an element by. In XPath a plain name is one of HTML, and a colon ends a prefix. */
const nameTest = ({ localName, namespaceURI }: Element): string =>
  namespaceURI === "http://www.w3.org/1999/xhtml" && !localName.includes(":")
    ? localName
    : `*[local-name()=${quoted(localName)}]`

const position = (element: Element, siblings: ReadonlyArray<Element>): string => {
  const like = siblings.filter(({ tagName }) => tagName === element.tagName)
  return like.length > 1 ? `[${like.indexOf(element) + 1}]` : ""
}

const quoted = (text: string): string | null =>
  text.includes('"') ? (text.includes("'") ? null : `'${text}'`) : `"${text}"`

const isGenerated = (text: string): boolean => /\d{3,}|[0-9a-f]{8,}|^:|^(ember|react|mui|radix|headlessui)/i.test(text)

const leadsTo = (xpath: string, element: Element): boolean => {
  const all = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
  return all.snapshotLength === 1 && all.snapshotItem(0) === element
}

const wayBy = (element: Element, attribute: string): string | null => {
  const value = element.getAttribute(attribute) ?? ""
  const literal = quoted(value)
  if (value === "" || value.length > 80 || literal === null || (attribute === "id" && isGenerated(value))) return null
  return `//${nameTest(element)}[@${attribute}=${literal}]`
}

/** The paths that name an element by what it is called, whether they lead to others too or not. */
const named = (element: Element): ReadonlyArray<string> => {
  const tag = nameTest(element)
  const ways = naming.flatMap((attribute) => wayBy(element, attribute) ?? [])
  const text = says(element)
  const literal = quoted(text)
  if (text !== "" && text.length <= 60 && literal !== null) ways.push(`//${tag}[normalize-space()=${literal}]`)
  if (isPress(element) && literal !== null && text !== "") ways.push(`//${tag}[@value=${literal}]`)
  return ways
}

// --- in shadow roots, whose elements stand before the others in their hosts for the finder

/** Maximum number of elements that are examined to see that a selector matches only one. */
const mostElements = 20_000

const flat = oncePerVisit(() => everything(document, mostElements))
const counts = oncePerVisit(() => new Map<string, Map<string, number>>())

/** How many elements of a tag have the same value of something as this one, shadow roots looked into. */
const countLike = (element: Element, what: string, valueOf: (element: Element) => string | null): number => {
  const { tagName } = element
  let known = counts().get(`${tagName} ${what}`)
  if (known === undefined) {
    known = new Map()
    for (const element of flat()) {
      const value = element.tagName === tagName ? valueOf(element) : null
      if (value !== null) known.set(value, (known.get(value) ?? 0) + 1)
    }
    counts().set(`${tagName} ${what}`, known)
  }
  return known.get(valueOf(element) ?? "") ?? 0
}

/** The result of `normalize-space()`. */
const spaced = (element: Element): string => (element.textContent ?? "").replace(/[ \t\r\n]+/g, " ").trim()

const inShadow = (element: Element, root: ShadowRoot): string => {
  const way = namedInShadow(element) ?? stepsInShadow(element)
  if (way !== null) return way
  const path: Array<string> = []
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const siblings = [...(at.parentElement === null ? root.children : innerOf(at.parentElement))]
    path.unshift(`${CSS.escape(at.localName)}:nth-child(${siblings.indexOf(at) + 1})`)
  }
  const { host } = root
  const place = host.id !== "" ? `#${CSS.escape(host.id)}` : host.tagName.toLowerCase()
  return `css=${place} >> css=${path.join(" > ")}`
}

const namedInShadow = (element: Element): string | null => {
  const tag = element.tagName.toLowerCase()
  for (const attribute of naming) {
    const way = wayBy(element, attribute)
    if (way !== null && countLike(element, attribute, (element) => element.getAttribute(attribute)) === 1) return way
  }
  const text = spaced(element)
  const literal = quoted(text)
  const isPlain = /^(a|button|label|summary)$/.test(tag) && text === says(element) && text.length <= 60
  if (!isPlain || text === "" || literal === null) return null
  const isNested = [...element.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot !== null)
  return !isNested && countLike(element, "text", spaced) === 1 ? `//${tag}[normalize-space()=${literal}]` : null
}

/**
 * The path of an element, with shadow roots as children of their hosts; `null` if the document alone also matches
 * that path.
 */
const stepsInShadow = (element: Element): string | null => {
  const path: Array<string> = []
  for (let at: Element | null = element; at !== null; at = around(at)) {
    const outer = around(at)
    const siblings = outer === null ? [] : [...(outer.shadowRoot?.children ?? []), ...innerOf(outer)]
    path.unshift(`${nameTest(at)}${position(at, siblings)}`)
  }
  const way = `/${path.join("/")}`
  const own = document.evaluate(way, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
  return own.snapshotLength === 0 ? way : null
}
