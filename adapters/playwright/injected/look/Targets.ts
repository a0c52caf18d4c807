/**
 * What a person can point at in the window of a document: what can be acted on, and texts to read.
 */
import { nameOf } from "../dom/Names.ts"
import { isPress, orNull, says, squeeze } from "../dom/Text.ts"
import { around, contains, everything, innermostAt } from "../dom/Tree.ts"
import { clickedFor, isVisible } from "../dom/Visible.ts"
import { childrenOf, idOf, innerOf } from "../find/Nodes.ts"
import { matchesOf, selectorOf, selectorsOf } from "../find/Selectors.ts"
import { boxesWith, takesCode } from "./CodeFields.ts"
import { boxOf, invitesAction, kindOf } from "./Outline.ts"

const maxVisited = 20_000

/** How many options of a list are named. */
const maxOptions = 100

/** How long the search for selectors may take, in milliseconds. Elements beyond it are left out. */
const longest = 2_000

/** The elements in the window, at most so many, in the order of the document. */
export const targets = (maxElements: number) => {
  const until = performance.now() + longest
  const elements = []
  for (const element of everything(document, maxVisited)) {
    if (elements.length >= maxElements || performance.now() > until) break
    const kind = kindFor(element)
    const shown = kind === "read" ? (isVisible(element) ? element : null) : kind === null ? null : clickedFor(element)
    const boxes = boxesWith(element)
    const box = shown === null ? null : boxOf(shown)
    if (kind === null || shown === null || box === null || isCovered(shown, box)) continue
    // The first box of a code stands for all of them.
    if (boxes.length > 0 && boxes[0] !== element) continue
    elements.push({
      kind,
      role: (orNull(element.getAttribute("role")) ?? kindOf(element)).slice(0, 30),
      name: (nameOf(element) || squeeze(element.getAttribute("name")) || squeeze(idOf(element))).slice(0, 120),
      secret: element instanceof HTMLInputElement && element.type === "password",
      code: takesCode(element),
      options: optionsOf(element),
      box: boxes.length > 0 ? spanOf(box, boxes) : box,
      selectors: selectorsOf(element),
      row: rowOf(element),
      heading: headingOf(element)
    })
  }
  return { title: squeeze(document.title).slice(0, 200), width: innerWidth, height: innerHeight, elements }
}

type Box = NonNullable<ReturnType<typeof boxOf>>

/** The part of the window from one box to the last of several elements in a line. */
const spanOf = (first: Box, elements: ReadonlyArray<Element>): Box => {
  const last = elements.at(-1)
  const end = last === undefined ? null : boxOf(last)
  return end === null || end.y !== first.y ? first : { ...first, width: end.x + end.width - first.x }
}

/** What is done with an element; `null` where nothing is, or it is part of what something is done with. */
const kindFor = (element: Element): "press" | "type" | "choose" | "read" | null => {
  if (element instanceof HTMLSelectElement) return "choose"
  if (element instanceof HTMLTextAreaElement) return "type"
  if (element instanceof HTMLInputElement) {
    if (element.type === "hidden") return null
    return isPress(element) || /^(checkbox|radio|file|color|range)$/.test(element.type) ? "press" : "type"
  }
  if (element instanceof HTMLElement && element.isContentEditable) {
    return element.parentElement?.isContentEditable === true ? null : "type"
  }
  if (invitesAction(element)) return "press"
  return says(element) !== "" && hasOwnText(element) && !isWithinPressed(element) ? "read" : null
}

const hasOwnText = (element: Element): boolean =>
  [...childrenOf(element)].some((node) => node.nodeType === Node.TEXT_NODE && squeeze(node.textContent) !== "")

const isWithinPressed = (element: Element): boolean => {
  for (let at = around(element); at !== null; at = around(at)) {
    if (at.matches("a[href],button,label,option,select") || invitesAction(at)) return true
  }
  return false
}

/** Whether something else is drawn where the middle of an element is. */
const isCovered = (
  element: Element,
  { height, width, x, y }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
): boolean => {
  const there = innermostAt(x + width / 2, y + height / 2)
  return there !== null && !contains(element, there) && !contains(there, element)
}

const optionsOf = (element: Element): ReadonlyArray<string> =>
  element instanceof HTMLSelectElement
    ? [...element.options].slice(0, maxOptions).map(({ text }) => squeeze(text).slice(0, 120))
    : []

/** The heading of the column that a cell is in; `null` where it has none. */
const headingOf = (element: Element): string | null => {
  const cell = element.closest("td")
  const table = cell?.closest("table")
  const first = table?.tHead?.rows[0] ?? table?.rows[0]
  const heading = cell == null ? undefined : first?.cells[cell.cellIndex]
  return heading?.tagName === "TH" ? orNull(heading.textContent, 60) : null
}

/** How far up a row is searched for. */
const highest = 8

/** The rows of the list that an element is in, and the path from its row to it; `null` where it is in no list. */
const rowOf = (element: Element) => {
  if (element.getRootNode() !== document) return null
  const path: Array<string> = []
  for (let at: Element = element, height = 0; height < highest; height++) {
    const outer: Element | null = at.parentElement
    if (outer === null || outer === document.documentElement) return null
    const test = rowTest(at, outer)
    if (test !== null) {
      const selector = `${placeOf(outer)}/${test}`
      return { selector, matches: matchesOf(selector), path: path.length === 0 ? "." : `/${path.join("/")}` }
    }
    const like = [...innerOf(outer)].filter(({ tagName }) => tagName === at.tagName)
    path.unshift(`${at.tagName.toLowerCase()}${like.length > 1 ? `[${like.indexOf(at) + 1}]` : ""}`)
    at = outer
  }
  return null
}

/** A selector of what holds rows. A part of a table is named by its table, which more often has a name. */
const placeOf = (outer: Element): string => {
  const table = outer.parentElement
  if (!/^(tbody|thead|tfoot)$/i.test(outer.tagName) || table === null) return selectorOf(outer)
  const like = [...innerOf(table)].filter(({ tagName }) => tagName === outer.tagName)
  const position = like.length > 1 ? `[${like.indexOf(outer) + 1}]` : ""
  return `${selectorOf(table)}/${outer.tagName.toLowerCase()}${position}`
}

/** The step to the rows of a list from what holds them; `null` where an element is no row. */
const rowTest = (element: Element, outer: Element): string | null => {
  const tag = element.tagName.toLowerCase()
  if (/^(td|th|caption|thead|tbody|tfoot|colgroup|option|label|span|b|i|em|strong|br|p|h[1-6])$/.test(tag)) return null
  if (tag === "tr") return element.querySelector(":scope > td") === null ? null : "tr[td]"
  const like = [...innerOf(outer)].filter(({ tagName }) => tagName === element.tagName)
  if (tag === "li" || /^(row|listitem|article)$/.test(element.getAttribute("role") ?? "") || tag === "article") {
    return like.length > 1 ? tag : null
  }
  const name = element.getAttribute("class") ?? ""
  const same = like.filter((element) => element.getAttribute("class") === name)
  if (name === "" || name.includes('"') || same.length < 3) return null
  return same.length === like.length ? tag : `${tag}[@class="${name}"]`
}
