/**
 * What runs inside the page to describe it. Each function is sent there as its source, so it uses nothing from outside
 * itself.
 */
import type { World } from "./InWorld.ts"

/**
 * Keeps the elements that can be acted on as `outlined 0` and so on, and returns a description of each, in the same
 * order.
 */
export const outline = (maxElements: number, { keep }: World) => {
  const clean = (text: string | null | undefined, length: number) =>
    (text ?? "").replace(/\s+/g, " ").trim().slice(0, length)
  const interactive =
    'a[href],button,input:not([type="hidden"]),select,textarea,summary,[contenteditable=""],[contenteditable="true"],[onclick],[tabindex]:not([tabindex="-1"]),' +
    ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "combobox", "textbox", "searchbox"]
      .map((role) => `[role="${role}"]`)
      .join(",")
  const maxVisited = 50_000
  let visited = 0

  const isSeen = (element: Element): boolean => {
    if (element.getClientRects().length === 0) return false
    const { display, visibility } = getComputedStyle(element)
    return visibility === "visible" && display !== "none"
  }
  const roleOf = (element: Element): string => {
    const own = clean(element.getAttribute("role"), 30)
    if (own !== "") return own
    if (element instanceof HTMLInputElement) {
      if (/^(submit|button|reset|image)$/.test(element.type)) return "button"
      if (element.type === "checkbox" || element.type === "radio") return element.type
      return element.type === "text" ? "textbox" : `${element.type} field`
    }
    const names: Record<string, string> = { A: "link", SELECT: "list", TEXTAREA: "textbox", SUMMARY: "button" }
    return names[element.tagName] ?? element.tagName.toLowerCase()
  }
  const nameOf = (element: Element): string => {
    const named = (element.getAttribute("aria-labelledby") ?? "")
      .split(/\s+/)
      .map((id) => (id === "" ? "" : document.getElementById(id)?.textContent))
      .join(" ")
    const labels = "labels" in element ? [...((element.labels as NodeListOf<HTMLElement> | null) ?? [])] : []
    const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)
    const pushes = element instanceof HTMLInputElement && /^(submit|button|reset)$/.test(element.type)
    const candidates = [
      element.getAttribute("aria-label"),
      named,
      ...labels.map((label) => label.innerText),
      pushes ? element.value : "",
      isField ? "" : element instanceof HTMLElement ? element.innerText : element.textContent,
      element.getAttribute("alt") ?? element.querySelector("img[alt]")?.getAttribute("alt"),
      element.getAttribute("title"),
      element.getAttribute("placeholder"),
      element.getAttribute("name"),
      element.id
    ]
    return candidates.map((text) => clean(text, 120)).find((text) => text !== "") ?? ""
  }
  const valueOf = (element: Element): string => {
    if (element instanceof HTMLSelectElement) return clean(element.selectedOptions[0]?.text, 120)
    if (element instanceof HTMLTextAreaElement) return clean(element.value, 120)
    if (!(element instanceof HTMLInputElement)) return ""
    return /^(password|checkbox|radio|submit|button|reset|file|image)$/.test(element.type)
      ? ""
      : clean(element.value, 120)
  }
  const statesOf = (element: Element): Array<string> => {
    const states: Array<string> = []
    const is = (attribute: string) => element.getAttribute(attribute) === "true"
    if (element.matches(":disabled") || is("aria-disabled")) states.push("disabled")
    if ((element instanceof HTMLInputElement && element.checked) || is("aria-checked")) states.push("checked")
    if (is("aria-expanded")) states.push("expanded")
    if (is("aria-selected")) states.push("selected")
    if (is("aria-pressed")) states.push("pressed")
    if ("readOnly" in element && element.readOnly === true) states.push("read-only")
    if ("required" in element && element.required === true) states.push("required")
    return states
  }
  const boxOf = (element: Element) => {
    const { bottom, left, right, top } = element.getBoundingClientRect()
    if (top >= innerHeight || left >= innerWidth || bottom <= 0 || right <= 0) return null
    const [x, y] = [Math.max(left, 0), Math.max(top, 0)]
    return { x, y, width: Math.min(right, innerWidth) - x, height: Math.min(bottom, innerHeight) - y }
  }

  const elements: Array<Element> = []
  let more = 0
  const visit = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll("*")) {
      if (++visited > maxVisited) return
      const points =
        element.matches(interactive) ||
        (getComputedStyle(element).cursor === "pointer" &&
          element.parentElement !== null &&
          getComputedStyle(element.parentElement).cursor !== "pointer" &&
          element.closest("a[href],button,label") === null)
      if (points && isSeen(element)) {
        if (elements.length < maxElements) elements.push(element)
        else more++
      }
      if (element.shadowRoot !== null) visit(element.shadowRoot)
    }
  }
  visit(document)
  for (const [index, element] of elements.entries()) keep(`outlined ${index}`, element)
  const told = elements.map((element) => ({
    role: roleOf(element),
    name: nameOf(element),
    value: valueOf(element),
    states: statesOf(element),
    box: boxOf(element)
  }))
  return { told, more, title: clean(document.title, 200), width: innerWidth, height: innerHeight }
}

/** The texts that are to be seen in the window, those in fields included, each with where it is. */
export const texts = () => {
  const seen: Array<{ text: string; box: { x: number; y: number; width: number; height: number } }> = []
  const maxTexts = 5_000
  const add = (text: string, { height, left, top, width }: DOMRect) => {
    const isInWindow = top < innerHeight && left < innerWidth && top + height > 0 && left + width > 0
    if (isInWindow && width > 0 && height > 0) seen.push({ text, box: { x: left, y: top, width, height } })
  }
  const visit = (root: Document | ShadowRoot): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null && seen.length < maxTexts; node = walker.nextNode()) {
      if (!(node instanceof Element)) continue
      if (node.shadowRoot !== null) visit(node.shadowRoot)
      if (node instanceof HTMLInputElement && node.type === "password") {
        if (node.value !== "") add("", node.getBoundingClientRect())
        continue
      }
      const value =
        node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement
          ? node.value
          : ""
      // A text may be spread over several elements, as digits in boxes: the element around them has it whole.
      const whole = node.childElementCount > 0 && node.childElementCount <= 12 ? (node.textContent ?? "") : ""
      const own = node.childElementCount === 0 ? (node.textContent ?? "") : whole.length <= 200 ? whole : ""
      const direct = [...node.childNodes].flatMap((child) => (child.nodeType === 3 ? [child.nodeValue ?? ""] : []))
      for (const text of new Set([value, own, direct.join("")])) {
        if (text.trim() !== "") add(text.slice(0, 20_000), node.getBoundingClientRect())
      }
    }
  }
  visit(document)
  return seen
}

/** Covers boxes of the window until the function below takes that away again. */
export const cover = (boxes: ReadonlyArray<{ x: number; y: number; width: number; height: number }>) => {
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

export const uncover = () => {
  for (const one of document.querySelectorAll("#sluice-cover")) one.remove()
}

/** Scrolls what can be scrolled in the middle of the window, or the window, and returns whether it moved. */
export const turn = (direction: "down" | "up"): boolean => {
  const sense = direction === "down" ? 1 : -1
  const ends = (element: Element) =>
    sense > 0 ? element.scrollTop + element.clientHeight < element.scrollHeight - 1 : element.scrollTop > 0
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2)
  let target: Element | null = document.scrollingElement
  for (let element = middle; element !== null && element !== target; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element)
    if (/auto|scroll/.test(overflowY) && element.clientHeight > 100 && ends(element)) {
      target = element
      break
    }
  }
  if (target === null || !ends(target)) return false
  const before = target.scrollTop
  const height = target === document.scrollingElement ? innerHeight : target.clientHeight
  target.scrollBy({ top: sense * height * 0.8, behavior: "instant" })
  return target.scrollTop !== before
}

/** Scrolls what is kept as `scroller` by most of what is seen of it, and returns whether it moved. */
export const turnIn = (direction: "down" | "up", { kept }: World): boolean => {
  const element = kept("scroller") as Element
  const before = element.scrollTop
  const height = element === document.scrollingElement ? innerHeight : element.clientHeight
  element.scrollBy({ top: (direction === "down" ? 1 : -1) * height * 0.8, behavior: "instant" })
  return element.scrollTop !== before
}

/**
 * An XPath that leads alone to what is kept under a name, through open shadow roots as if what they hold stood first in their
 * hosts; `null` where it would lead to something else. That of a frame can be gone on from into what the frame holds.
 */
export const selectorOf = (name: string, { kept }: World): string | null => {
  const element = kept(name)
  if (!(element instanceof Element) || !element.isConnected) return null
  const isInShadow = element.getRootNode() !== document
  const steps: Array<string> = []
  for (let one: Element | null = element; one !== null; ) {
    const { id, localName } = one
    const isFrame = localName === "iframe" || localName === "frame"
    const isKnown = !isInShadow && id !== "" && !/["']/.test(id)
    if (isKnown && document.querySelectorAll(`#${CSS.escape(id)}`).length === 1) {
      return `//${isFrame ? localName : "*"}[@id="${id}"]${steps.length === 0 ? "" : `/${steps.join("/")}`}`
    }
    const before = (siblings: Iterable<Element>) =>
      [...siblings].filter((other) => other.localName === localName).length
    const own = [...(one.parentNode?.children ?? [])]
    const shadow = isInShadow ? (one.parentElement?.shadowRoot?.children ?? []) : []
    const place = before(own.slice(0, own.indexOf(one))) + before(shadow) + 1
    const isPlain = one.namespaceURI === "http://www.w3.org/1999/xhtml"
    steps.unshift(isPlain ? `${localName}[${place}]` : `*[local-name()="${localName}"][${place}]`)
    const root = one.getRootNode()
    one = one.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
  }
  const path = `/${steps.join("/")}`
  if (!isInShadow) return path
  // A match in the document alone takes precedence.
  const other = document.evaluate(path, document, null, XPathResult.ANY_UNORDERED_NODE_TYPE, null).singleNodeValue
  return other === null ? path : null
}

/** What elements hold, as HTML of what can be read. */
export const readable = (
  elements: ReadonlyArray<Node>,
  { maxCharacters, metadata }: { metadata: boolean; maxCharacters: number }
): { html: string; cut: boolean } => {
  const skipped = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|SVG|CANVAS|LINK|META|OBJECT|EMBED)$/i
  const telling =
    /^(href|alt|title|aria-label|aria-checked|aria-selected|placeholder|name|type|datetime|value|for|colspan|rowspan|role)$/
  const parts: Array<string> = []
  let length = 0
  let cut = false
  const add = (text: string): void => {
    if (length + text.length > maxCharacters) cut = true
    if (cut) return
    parts.push(text)
    length += text.length
  }
  const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
  const attributes = (element: Element): string =>
    [...element.attributes]
      .filter(({ name }) => (metadata ? !/^(on|style$|srcdoc$)/.test(name) : telling.test(name)))
      .filter(({ name }) => !(name === "value" && element instanceof HTMLInputElement))
      .map(({ name, value }) => ` ${name}="${escaped(value.slice(0, 500)).replace(/"/g, "&quot;")}"`)
      .join("")
  const state = (element: Element): string => {
    if (element instanceof HTMLInputElement) {
      if (element.type === "password") return ""
      if (element.type === "checkbox" || element.type === "radio") return element.checked ? " checked" : ""
      return element.value === "" ? "" : ` value="${escaped(element.value).replace(/"/g, "&quot;")}"`
    }
    return element instanceof HTMLOptionElement && element.selected ? " selected" : ""
  }
  const visit = (node: Node): void => {
    if (cut) return
    if (node.nodeType === 3) {
      const text = (node.nodeValue ?? "").replace(/\s+/g, " ")
      if (text.trim() !== "") add(escaped(text))
      return
    }
    if (node instanceof HTMLIFrameElement) {
      try {
        const inner = node.contentDocument?.body
        if (inner != null) for (const child of inner.childNodes) visit(child)
      } catch {
        // Another site's.
      }
      return
    }
    if (node.nodeType !== 1 && node.nodeType !== 9 && node.nodeType !== 11) return
    if (node.nodeType !== 1) {
      for (const child of node.childNodes) visit(child)
      return
    }
    const element = node as Element
    if (skipped.test(element.tagName)) return
    const isHidden =
      element.getClientRects().length === 0 &&
      getComputedStyle(element).display === "none" &&
      element.tagName !== "OPTION"
    if (isHidden) return
    const tag = element.tagName.toLowerCase()
    add(`<${tag}${attributes(element)}${state(element)}>`)
    if (element instanceof HTMLTextAreaElement) add(escaped(element.value))
    else {
      if (element.shadowRoot !== null) visit(element.shadowRoot)
      for (const child of element.childNodes) visit(child)
    }
    if (!/^(br|hr|img|input|wbr)$/.test(tag)) add(`</${tag}>`)
  }
  for (const element of elements) visit(element)
  return { html: parts.join(""), cut }
}
