/** The texts in the viewport, and covers over secret ones for screenshots. */

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const maxTexts = 5_000

/**
 * The texts in the window, those in fields included, each with where it is. Hidden or covered elements count as well:
 * more is covered then than has to be, and nothing that a picture shows is missed.
 */
export const texts = (): ReadonlyArray<{ readonly text: string; readonly box: Box }> => {
  const found: Array<{ text: string; box: Box }> = []
  const add = (text: string, element: Element): void => {
    const { height, left, top, width } = element.getBoundingClientRect()
    const isInWindow = top < innerHeight && left < innerWidth && top + height > 0 && left + width > 0
    if (isInWindow && width > 0 && height > 0) found.push({ text, box: { x: left, y: top, width, height } })
  }
  const visit = (root: Document | ShadowRoot): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null && found.length < maxTexts; node = walker.nextNode()) {
      if (!(node instanceof Element)) continue
      if (node.shadowRoot !== null) visit(node.shadowRoot)
      for (const text of textsOf(node)) add(text, node)
    }
  }
  visit(document)
  return found
}

/** The visible text of an element. A password has no text, and a place. */
const textsOf = (element: Element): ReadonlyArray<string> => {
  if (element instanceof HTMLInputElement && element.type === "password") return element.value === "" ? [] : [""]
  const value =
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
      ? element.value
      : ""
  // A text may be spread over several elements, as digits in boxes: the element around them has it whole.
  const whole = element.childElementCount > 0 && element.childElementCount <= 12 ? (element.textContent ?? "") : ""
  const own = element.childElementCount === 0 ? (element.textContent ?? "") : whole.length <= 200 ? whole : ""
  const direct = [...element.childNodes].flatMap((child) => (child.nodeType === 3 ? [child.nodeValue ?? ""] : []))
  return [...new Set([value, own, direct.join("")])]
    .filter((text) => text.trim() !== "")
    .map((text) => text.slice(0, 20_000))
}

/** Covers boxes of the window until `uncover` takes that away again. */
export const cover = (boxes: ReadonlyArray<Box>): void => {
  const host = document.createElement("div")
  host.id = "sluice-cover"
  host.setAttribute("style", "all:initial;position:fixed;inset:0;pointer-events:none;z-index:2147483647")
  const root = host.attachShadow({ mode: "closed" })
  for (const { height, width, x, y } of boxes) {
    const one = document.createElement("div")
    one.setAttribute(
      "style",
      `position:fixed;background:#444;left:${x - 2}px;top:${y - 2}px;width:${width + 4}px;height:${height + 4}px`
    )
    root.append(one)
  }
  // The top layer, above dialogs of the page.
  host.popover = "manual"
  document.documentElement.append(host)
  host.showPopover()
}

export const uncover = (): void => {
  for (const one of document.querySelectorAll("#sluice-cover")) one.remove()
}
