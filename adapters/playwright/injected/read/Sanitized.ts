/**
 * The document as its readers know it, as HTML.
 */
import { isRendered } from "../dom/Visible.ts"
import { attributesOf } from "../find/Nodes.ts"
import { type TooLong, within } from "./Whole.ts"

/**
 * The document as a reader sees it: without scripts, styles, comments, metadata, handlers, and
 * elements that are hidden. Only if that has at most so many characters.
 */
export const sanitizedHtml = (maxCharacters: number): string | TooLong => {
  const root = document.documentElement
  if (root === null) return ""
  const dropped = "script, style, noscript, template, svg, link, meta, iframe, object, embed"
  // A copy is of the type of its original.
  const copy = root.cloneNode(true) as Element
  const originals = [...root.querySelectorAll("*")]
  const copies = [...copy.querySelectorAll("*")]
  const gone = copies.filter((element, index) => {
    const original = originals[index]
    return element.matches(dropped) || (original !== undefined && isHidden(original))
  })
  for (const element of gone) element.remove()
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT)
  const comments: Array<Node> = []
  while (walker.nextNode()) comments.push(walker.currentNode)
  for (const comment of comments) comment.parentNode?.removeChild(comment)
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name } of [...attributesOf(element)]) {
      if (/^(on|style$|nonce$|integrity$|srcdoc$)/i.test(name)) element.removeAttribute(name)
    }
  }
  return within(copy.outerHTML, maxCharacters)
}

const isHidden = (element: Element): boolean => {
  if (element.closest("head") !== null || element instanceof HTMLOptionElement) return false
  if (element.hasAttribute("hidden")) return true
  if (element instanceof HTMLInputElement && element.type === "hidden") return true
  // A hidden element may contain visible ones, unless it is not laid out.
  return !isRendered(element) || (getComputedStyle(element).visibility !== "visible" && element.childElementCount === 0)
}
