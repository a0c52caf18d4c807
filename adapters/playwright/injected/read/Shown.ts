/**
 * The texts that numbers and truth values are made of: without what is struck out, and with the figures apart that a
 * person sees apart.
 */
import type { ShownText } from "../../../../core/browser/element/Extraction.ts"
import { isField } from "../dom/Text.ts"
import { childrenOf } from "../find/Nodes.ts"
import type { Item } from "../find/XPath.ts"

/** The shown text of an item, whose whole text is `text`. */
export const shownIn = (item: Item, text: string): ShownText => {
  const plain = { text, lang: langOf(item), struck: "none" } as const
  if (!(item instanceof HTMLElement) || item.childElementCount === 0 || isField(item)) return plain
  const found: Pieces = { pieces: [], struck: false, special: false }
  walk(item, found)
  const left = joined(found)
  if (!found.special) return plain
  if (!found.struck) return { ...plain, text: left }
  return left.trim() === "" ? { ...plain, struck: "all" } : { ...plain, text: left, struck: "part" }
}

const langOf = (item: Item): string => {
  const around =
    item instanceof Element
      ? item
      : item instanceof Attr
        ? item.ownerElement
        : item instanceof Node
          ? item.parentElement
          : null
  const own = around?.closest("[lang]") ?? document.documentElement
  return own.getAttribute("lang") ?? ""
}

interface Piece {
  readonly text: string
  readonly node: Text | null
}

interface Pieces {
  readonly pieces: Array<Piece>
  struck: boolean
  /** Whether the text differs from that of the element. */
  special: boolean
}

const walk = (element: Element, found: Pieces): void => {
  const isRaised = /^(SUP|SUB)$/.test(element.tagName) || /^(super|sub)$/.test(getComputedStyle(element).verticalAlign)
  for (const node of childrenOf(element)) {
    if (node instanceof Text) {
      const text = node.data.replace(/[ \t\r\n\f]+/g, " ")
      const isScript = isRaised && found.pieces.length > 0 && /\d/.test(text)
      if (isScript) found.special = true
      found.pieces.push({ text: isScript ? raised(text) : text, node })
    } else if (node instanceof Element) into(node, found)
  }
}

const into = (element: Element, found: Pieces): void => {
  const { display, textDecorationLine, visibility } = getComputedStyle(element)
  if (display === "none" || visibility !== "visible") return
  if (/^(S|DEL|STRIKE)$/.test(element.tagName) || textDecorationLine.includes("line-through")) {
    found.struck = true
    found.special = true
    found.pieces.push({ text: " ", node: null })
    return
  }
  const isApart = element.tagName === "BR" || !/^(inline|contents)/.test(display)
  if (isApart) found.pieces.push({ text: "\n", node: null })
  walk(element, found)
  if (isApart) found.pieces.push({ text: "\n", node: null })
}

const raised = (text: string): string => text.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? digit)

/** Figures that meet are parted where a person sees them apart: by a gap, a raise or another size. */
const joined = (found: Pieces): string => {
  let text = ""
  let before: Text | null = null
  for (const { node, text: more } of found.pieces) {
    const meets = /\d$/.test(text) && /^\d/.test(more)
    if (meets && before !== null && node !== null && isSeenApart(before, node)) {
      found.special = true
      text += "\n"
    }
    text += more
    if (more !== "") before = node
  }
  return text.trim()
}

const isSeenApart = (one: Text, other: Text): boolean => {
  const [left, right] = [one.parentElement, other.parentElement]
  if (left === null || right === null || left === right) return false
  const sizes = [left, right].map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  const size = Math.max(...sizes)
  if (size - Math.min(...sizes) > size / 10) return true
  const [end, start] = [boxesOf(one).at(-1), boxesOf(other)[0]]
  if (end === undefined || start === undefined) return false
  return start.left - end.right > size / 4 || Math.abs(start.bottom - end.bottom) > size / 2
}

const boxesOf = (text: Text): ReadonlyArray<DOMRect> => {
  const range = document.createRange()
  range.selectNodeContents(text)
  return [...range.getClientRects()]
}
