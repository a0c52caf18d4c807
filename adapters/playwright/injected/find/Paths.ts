/**
 * The path to an element that was pointed at, which can be continued from a frame into what the frame holds.
 */
import { around } from "../dom/Tree.ts"
import { keptElement } from "./Kept.ts"

/**
 * An XPath that leads alone to what is kept under a name, through open shadow roots as if what they hold stood first in
 * their hosts; `null` where it would lead to something else.
 */
export const pathOf = (name: string): string | null => {
  const element = keptElement(name)
  if (element === null) return null
  const isInShadow = element.getRootNode() !== document
  const steps: Array<string> = []
  for (let one: Element | null = element; one !== null; one = around(one)) {
    const known = isInShadow ? null : byId(one)
    if (known !== null) return [known, ...steps].join("/")
    steps.unshift(stepTo(one, isInShadow))
  }
  const path = `/${steps.join("/")}`
  if (!isInShadow) return path
  // A match in the document alone takes precedence.
  const other = document.evaluate(path, document, null, XPathResult.ANY_UNORDERED_NODE_TYPE, null).singleNodeValue
  return other === null ? path : null
}

/** The path to the only element that has this id; `null` where it has none, or others have it too. */
const byId = ({ id, localName }: Element): string | null => {
  if (id === "" || /["']/.test(id) || document.querySelectorAll(`#${CSS.escape(id)}`).length !== 1) return null
  return `//${localName === "iframe" || localName === "frame" ? localName : "*"}[@id="${id}"]`
}

const stepTo = (element: Element, isInShadow: boolean): string => {
  const { localName, namespaceURI } = element
  const before = (siblings: Iterable<Element>) => [...siblings].filter((other) => other.localName === localName).length
  const own = [...(element.parentNode?.children ?? [])]
  const shadow = isInShadow ? (element.parentElement?.shadowRoot?.children ?? []) : []
  const place = before(own.slice(0, own.indexOf(element))) + before(shadow) + 1
  const isPlain = namespaceURI === "http://www.w3.org/1999/xhtml"
  return isPlain ? `${localName}[${place}]` : `*[local-name()="${localName}"][${place}]`
}
