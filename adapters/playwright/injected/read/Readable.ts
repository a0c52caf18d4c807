/**
 * The contents of elements, as HTML of what can be read.
 */
import { isRendered } from "../dom/Visible.ts"
import { attributesOf, childrenOf, isElement } from "../find/Nodes.ts"
import { escapeText } from "./Escape.ts"

const skipped = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|SVG|CANVAS|LINK|META|OBJECT|EMBED)$/i

/** Attributes that say something to a reader. */
const telling =
  /^(href|alt|title|aria-label|aria-checked|aria-selected|placeholder|name|type|datetime|value|for|colspan|rowspan|role)$/

/** The contents of elements, in at most so many characters. With `metadata`, all attributes but those that act. */
export const readable = (
  elements: ReadonlyArray<Node>,
  { maxCharacters, metadata }: { readonly metadata: boolean; readonly maxCharacters: number }
): { readonly html: string; readonly cut: boolean } => {
  const parts: Array<string> = []
  let length = 0
  let cut = false
  const add = (text: string): void => {
    if (length + text.length > maxCharacters) cut = true
    if (cut) return
    parts.push(text)
    length += text.length
  }
  const visitElement = (element: Element): void => {
    if (skipped.test(element.tagName) || !isRendered(element)) return
    const tag = element.tagName.toLowerCase()
    add(`<${tag}${tellingAttributes(element, metadata)}${stateOf(element)}>`)
    if (element instanceof HTMLTextAreaElement) add(escapeText(element.value))
    else {
      if (element.shadowRoot !== null) visit(element.shadowRoot)
      for (const child of childrenOf(element)) visit(child)
    }
    if (!/^(br|hr|img|input|wbr)$/.test(tag)) add(`</${tag}>`)
  }
  const visit = (node: Node): void => {
    if (cut) return
    if (node.nodeType === 3) {
      const text = (node.nodeValue ?? "").replace(/\s+/g, " ")
      if (text.trim() !== "") add(escapeText(text))
    } else if (node instanceof HTMLIFrameElement) for (const child of nodesOfFrame(node)) visit(child)
    else if (isElement(node)) visitElement(node)
    else if (node.nodeType === 9 || node.nodeType === 11) for (const child of node.childNodes) visit(child)
  }
  for (const element of elements) visit(element)
  return { html: parts.join(""), cut }
}

/** The content of the document of a frame, where that may be read. */
const nodesOfFrame = (frame: HTMLIFrameElement): Iterable<Node> => {
  try {
    return frame.contentDocument?.body?.childNodes ?? []
  } catch {
    // Another site's.
    return []
  }
}

const tellingAttributes = (element: Element, metadata: boolean): string =>
  [...attributesOf(element)]
    .filter(({ name }) => (metadata ? !/^(on|style$|srcdoc$)/.test(name) : telling.test(name)))
    .filter(({ name }) => !(name === "value" && element instanceof HTMLInputElement))
    .map(({ name, value }) => ` ${name}="${quoted(value.slice(0, 500))}"`)
    .join("")

const stateOf = (element: Element): string => {
  if (element instanceof HTMLInputElement) {
    if (element.type === "password") return ""
    if (element.type === "checkbox" || element.type === "radio") return element.checked ? " checked" : ""
    return element.value === "" ? "" : ` value="${quoted(element.value)}"`
  }
  return element instanceof HTMLOptionElement && element.selected ? " selected" : ""
}

const quoted = (text: string): string => escapeText(text).replace(/"/g, "&quot;")
