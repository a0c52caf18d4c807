/** The texts in the viewport, and covers over secret ones for screenshots. */

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Seen {
  readonly text: string
  readonly box: Box
  /** Whether several elements within the box have parts of the text. */
  readonly isSpread?: boolean
}

const maxTexts = { window: 5_000, page: 50_000 }

/** The longest text that is read, in characters. What is longer has no text, as a password. */
const maxText = 1_000_000

/** In how many nodes a text that is spread over elements is looked for. */
const maxSpread = 200

/** Nothing is captured below, in pixels. */
const lowest = 16_384

/**
 * The texts in the window, or in the whole page, those in fields included, each with where it is in the window. Hidden or
 * covered elements count as well: more is covered then than has to be, and nothing that a picture shows is missed. Beyond
 * the maximum number of texts, all that is left counts as one without a text, at the place of the window or page.
 */
export const texts = (isWhole: boolean): ReadonlyArray<Seen> => {
  const found: Array<Seen> = []
  const most = isWhole ? maxTexts.page : maxTexts.window
  const end = isWhole
    ? { x: document.documentElement.scrollWidth - scrollX, y: lowest - scrollY }
    : { x: innerWidth, y: innerHeight }
  const start = isWhole ? { x: -scrollX, y: -scrollY } : { x: 0, y: 0 }
  const add = (text: string, { height, left, top, width }: DOMRect, isSpread: boolean): void => {
    const isSeen = top < end.y && left < end.x && top + height > start.y && left + width > start.x
    if (!isSeen || width === 0 || height === 0 || text.trim() === "") return
    found.push({ text: text.length > maxText ? "" : text, box: { x: left, y: top, width, height }, isSpread })
  }
  const visit = (root: Document | ShadowRoot): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null && found.length < most; node = walker.nextNode()) {
      if (!(node instanceof Element)) continue
      if (node.shadowRoot !== null) visit(node.shadowRoot)
      const box = node.getBoundingClientRect()
      if (isPassword(node)) {
        if (box.width > 0)
          found.push({ text: "", box: { x: box.left, y: box.top, width: box.width, height: box.height } })
        continue
      }
      add(valueOf(node), box, false)
      const own = [...node.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      const words = own.map(({ nodeValue }) => nodeValue).join("")
      if (words.trim() !== "") add(words, around(own), false)
      for (const whole of spreadIn(node)) add(whole, around([...node.childNodes]), true)
    }
  }
  visit(document)
  if (found.length < most) return found
  return [...found, { text: "", box: { ...start, width: end.x - start.x, height: end.y - start.y } }]
}

const isPassword = (element: Element): boolean =>
  element instanceof HTMLInputElement && element.type === "password" && element.value !== ""

/** The text that a field shows. */
const valueOf = (element: Element): string => {
  if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(({ text }) => text).join("\n")
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  return isField ? element.value || element.placeholder : ""
}

/** Where nodes are drawn, which may be outside of the element that they are in. */
const around = (nodes: ReadonlyArray<Node>): DOMRect => {
  const range = document.createRange()
  const [first, last] = [nodes[0], nodes.at(-1)]
  if (first === undefined || last === undefined) return new DOMRect()
  range.setStartBefore(first)
  range.setEndAfter(last)
  return range.getBoundingClientRect()
}

/** The text that may be spread over the elements in one, as digits in boxes, as it is and without what is between them. */
const spreadIn = (element: Element): ReadonlyArray<string> => {
  if (element.childElementCount === 0 || element.childElementCount > 12) return []
  const pieces: Array<string> = []
  const walker = document.createTreeWalker(element)
  for (let node = walker.nextNode(), left = maxSpread; node !== null; node = walker.nextNode(), left--) {
    const text = node instanceof Element ? (isPassword(node) ? "" : valueOf(node)) : (node.nodeValue ?? "")
    if (text.length > 200 || left === 0) return []
    if (text !== "") pieces.push(text)
  }
  const [whole, dense] = [pieces.join(""), pieces.map((piece) => piece.trim()).join("")]
  return whole.length > 200 ? [] : [...new Set([whole, dense])]
}

/** Covers boxes, given by their places in the window, until `uncover` takes that away again. */
export const cover = (boxes: ReadonlyArray<Box>): void => {
  const host = document.createElement("div")
  host.id = "sluice-cover"
  host.setAttribute(
    "style",
    "all:initial;position:absolute;left:0;top:0;width:0;height:0;overflow:visible;pointer-events:none;z-index:2147483647"
  )
  const root = host.attachShadow({ mode: "closed" })
  for (const { height, width, x, y } of boxes) {
    const div = document.createElement("div")
    div.setAttribute(
      "style",
      `position:absolute;background:#444;left:${x + scrollX - 2}px;top:${y + scrollY - 2}px;width:${width + 4}px;height:${height + 4}px`
    )
    root.append(div)
  }
  // The top layer, above dialogs of the page.
  host.popover = "manual"
  document.documentElement.append(host)
  host.showPopover()
}

export const uncover = (): void => {
  for (const element of document.querySelectorAll("#sluice-cover")) element.remove()
}
