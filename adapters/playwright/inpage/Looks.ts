/**
 * What runs inside a page to tell elements from each other: what they look like, and selectors that lead to them alone. The
 * function is sent there as its source, so it uses nothing from outside itself.
 */
import type { Appearance } from "../../../core/browser/element/Appearance.ts"
import type { Button } from "../../../core/browser/element/Survey.ts"
import type { World } from "./InWorld.ts"

/** A frame that can be seen, by the name under which its element is kept, and a selector that leads to that alone. */
export interface Inner {
  readonly name: string
  readonly selector: string
}

export const looks = ({ keep }: World) => {
  const squeeze = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()
  const orNull = (text: string | null | undefined, most = 120): string | null => {
    const squeezed = squeeze(text)
    return squeezed === "" ? null : squeezed.slice(0, most)
  }
  const isSeen = (element: Element): boolean => {
    const { height, width } = element.getBoundingClientRect()
    if (height < 1 || width < 1) return false
    const { opacity, visibility } = getComputedStyle(element)
    return visibility !== "hidden" && opacity !== "0"
  }
  const isField = (element: Element): boolean => /^(input|textarea|select)$/i.test(element.tagName)
  const isPress = (element: Element): boolean =>
    element instanceof HTMLInputElement && /^(submit|button|reset|image)$/.test(element.type)
  const says = (element: Element): string =>
    isPress(element)
      ? squeeze((element as HTMLInputElement).value)
      : isField(element) || (element as HTMLElement).isContentEditable
        ? ""
        : squeeze(element instanceof HTMLElement ? element.innerText : element.textContent)

  /** Everything below a node, what open shadow roots hold included. */
  const everything = (root: ParentNode, most: number): Array<Element> => {
    const found: Array<Element> = []
    const visit = (parent: ParentNode): void => {
      for (const element of parent.querySelectorAll("*")) {
        if (found.length >= most) return
        found.push(element)
        if (element.shadowRoot !== null) visit(element.shadowRoot)
      }
    }
    visit(root)
    return found
  }

  // --- a selector that leads to one element alone

  const quoted = (text: string): string | null =>
    text.includes('"') ? (text.includes("'") ? null : `'${text}'`) : `"${text}"`
  const isGenerated = (text: string): boolean =>
    /\d{3,}|[0-9a-f]{8,}|^:|^(ember|react|mui|radix|headlessui)/i.test(text)
  const leadsTo = (xpath: string, element: Element): boolean => {
    const all = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
    return all.snapshotLength === 1 && all.snapshotItem(0) === element
  }
  const testIds = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"]
  const naming = [...testIds, "id", "name", "aria-label", "placeholder", "title", "alt"]
  const wayBy = (element: Element, attribute: string): string | null => {
    const value = element.getAttribute(attribute) ?? ""
    const literal = quoted(value)
    if (value === "" || value.length > 80 || literal === null || (attribute === "id" && isGenerated(value))) return null
    return `//${element.tagName.toLowerCase()}[@${attribute}=${literal}]`
  }
  const named = (element: Element): Array<string> => {
    const tag = element.tagName.toLowerCase()
    const ways: Array<string> = []
    for (const attribute of naming) {
      const way = wayBy(element, attribute)
      if (way !== null) ways.push(way)
    }
    const text = says(element)
    const literal = quoted(text)
    if (text !== "" && text.length <= 60 && literal !== null) ways.push(`//${tag}[normalize-space()=${literal}]`)
    if (isPress(element) && literal !== null && text !== "") ways.push(`//${tag}[@value=${literal}]`)
    return ways
  }
  const position = (element: Element): string => {
    const like = [...(element.parentElement?.children ?? [])].filter(({ tagName }) => tagName === element.tagName)
    return like.length > 1 ? `[${like.indexOf(element) + 1}]` : ""
  }
  const steps = (element: Element): Array<string> => {
    const path: Array<string> = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      path.unshift(`${at.tagName.toLowerCase()}${position(at)}`)
    }
    return path
  }

  // --- in shadow roots, whose elements stand before the others in their hosts for the finder

  /** Maximum number of elements that are examined to see that a selector matches only one. */
  const mostElements = 20_000
  let flat: Array<Element> | null = null
  const counts = new Map<string, Map<string, number>>()
  /** How many elements of a tag have the same value of something as this one, shadow roots looked into. */
  const countLike = (element: Element, what: string, valueOf: (one: Element) => string | null): number => {
    const { tagName } = element
    flat ??= everything(document, mostElements)
    let known = counts.get(`${tagName} ${what}`)
    if (known === undefined) {
      known = new Map()
      for (const one of flat) {
        const value = one.tagName === tagName ? valueOf(one) : null
        if (value !== null) known.set(value, (known.get(value) ?? 0) + 1)
      }
      counts.set(`${tagName} ${what}`, known)
    }
    return known.get(valueOf(element) ?? "") ?? 0
  }
  const hostOf = (element: Element): Element | null =>
    element.parentElement ?? (element.parentNode instanceof ShadowRoot ? element.parentNode.host : null)
  /** What `normalize-space()` yields. */
  const spaced = (element: Element): string => (element.textContent ?? "").replace(/[ \t\r\n]+/g, " ").trim()
  const namedInShadow = (element: Element): string | null => {
    const tag = element.tagName.toLowerCase()
    for (const attribute of naming) {
      const way = wayBy(element, attribute)
      if (way !== null && countLike(element, attribute, (one) => one.getAttribute(attribute)) === 1) return way
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
    for (let at: Element | null = element; at !== null; at = hostOf(at)) {
      const { tagName } = at
      const around = hostOf(at)
      const siblings = around === null ? [] : [...(around.shadowRoot?.children ?? []), ...around.children]
      const like = siblings.filter((one) => one.tagName === tagName)
      path.unshift(`${tagName.toLowerCase()}${like.length > 1 ? `[${like.indexOf(at) + 1}]` : ""}`)
    }
    const way = `/${path.join("/")}`
    const own = document.evaluate(way, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
    return own.snapshotLength === 0 ? way : null
  }
  const inShadow = (element: Element, root: ShadowRoot): string => {
    const way = namedInShadow(element) ?? stepsInShadow(element)
    if (way !== null) return way
    const path: Array<string> = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const siblings = [...(at.parentElement ?? root).children]
      path.unshift(`${at.tagName.toLowerCase()}:nth-child(${siblings.indexOf(at) + 1})`)
    }
    const host = root.host
    const place = host.id !== "" ? `#${CSS.escape(host.id)}` : host.tagName.toLowerCase()
    return `css=${place} >> css=${path.join(" > ")}`
  }
  const selectorOf = (element: Element): string => {
    const root = element.getRootNode()
    if (root instanceof ShadowRoot) return inShadow(element, root)
    const ways = named(element)
    const alone = ways.find((way) => leadsTo(way, element))
    if (alone !== undefined) return alone
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const place = named(around).find((way) => !way.includes("normalize-space") && leadsTo(way, around as Element))
      // A frame is often the only one in what is called something, and is not called anything itself.
      const inside = /^i?frame$/i.test(element.tagName) ? [...ways, `//${element.tagName.toLowerCase()}`] : ways
      const within = place === undefined ? undefined : inside.find((way) => leadsTo(place + way, element))
      if (place !== undefined && within !== undefined) return place + within
    }
    return `/${steps(element).join("/")}`
  }

  // --- what an element looks like

  const roles: Record<string, string> = { a: "link", button: "button", select: "combobox", textarea: "textbox" }
  const roleOf = (element: Element): string | null => {
    const own = element.getAttribute("role")
    if (own !== null && own !== "") return own
    if (!(element instanceof HTMLInputElement)) return roles[element.tagName.toLowerCase()] ?? null
    if (isPress(element)) return "button"
    return element.type === "checkbox" || element.type === "radio" ? element.type : "textbox"
  }
  const labelOf = (element: Element): string | null => {
    const by = (element.getAttribute("aria-labelledby") ?? "")
      .split(" ")
      .flatMap((id) => (element.getRootNode() as Document | ShadowRoot).getElementById?.(id) ?? [])
    const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : []
    // The text of a label that holds its field is without what the field says.
    const own = [...by, ...labels].map((label) =>
      squeeze(
        [...label.childNodes]
          .map((node) => (node instanceof Element && isField(node) ? "" : node.textContent))
          .join(" ")
      )
    )
    return orNull(own.join(" "))
  }
  const sectionOf = (element: Element): string | null => {
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const own = orNull(around.getAttribute("aria-label"))
      if (own !== null) return own
      const heading = around.querySelector(":scope > legend, h1, h2, h3, h4, h5, h6, [role=heading]")
      if (heading !== null && !heading.contains(element)) return orNull(heading.textContent)
    }
    return null
  }
  const beside = (element: Element, way: "previousSibling" | "nextSibling"): string | null => {
    for (let at: Node | null = element; at !== null && at !== document.body; at = at.parentNode) {
      for (let next = at[way]; next !== null; next = next[way]) {
        if (next instanceof Element && isField(next)) return null
        const text = orNull(next.textContent, 60)
        if (text !== null) return text
      }
    }
    return null
  }
  const hrefPath = (element: Element): string | null =>
    element instanceof HTMLAnchorElement && /^https?:/.test(element.href)
      ? orNull(new URL(element.href).pathname)
      : null
  const appearanceOf = (element: Element): Appearance => ({
    tag: element.tagName.toLowerCase(),
    id: orNull(element.id),
    testId: orNull(testIds.map((name) => element.getAttribute(name)).find((value) => value !== null)),
    name: orNull(element.getAttribute("name")),
    type: isField(element) || element instanceof HTMLButtonElement ? orNull((element as HTMLInputElement).type) : null,
    role: roleOf(element),
    ariaLabel: orNull(element.getAttribute("aria-label")),
    label: labelOf(element),
    placeholder: orNull(element.getAttribute("placeholder")),
    title: orNull(element.getAttribute("title")),
    alt: orNull(element.getAttribute("alt") ?? element.querySelector("img[alt]")?.getAttribute("alt")),
    hrefPath: hrefPath(element),
    text: orNull(says(element)),
    section: sectionOf(element),
    before: beside(element, "previousSibling"),
    after: beside(element, "nextSibling"),
    path: steps(element).join(">")
  })

  /** Whether an element is another or is in it, shadow roots looked into. */
  const contains = (outer: Element, inner: Element): boolean => {
    for (let at: Node | null = inner; at !== null; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
      if (at === outer) return true
    }
    return false
  }

  // --- what is complained about

  const marks =
    "[role=alert],[aria-live=assertive],[class*=error i],[class*=invalid-feedback i],[class*=danger i],[id*=error i]"
  const complaintsAmong = (elements: ReadonlyArray<Element>): ReadonlyArray<string> =>
    elements
      .filter((one) => one.matches(marks) && isSeen(one) && !isField(one) && !everything(one, 500).some(isField))
      .flatMap((one) => orNull(one.textContent, 200) ?? [])
  /** What is complained about a field: what it names itself, or else what stands beside it; empty where there is nothing. */
  const complaintOf = (field: Element): string => {
    const root = field.getRootNode() as Document | ShadowRoot
    const ids = `${field.getAttribute("aria-errormessage") ?? ""} ${field.getAttribute("aria-describedby") ?? ""}`
    const told = ids.split(" ").flatMap((id) => (id === "" ? [] : (root.getElementById?.(id) ?? [])))
    const isMarked = field.getAttribute("aria-invalid") === "true" || field.matches(":user-invalid")
    const said = told
      .filter((one) => isSeen(one) && (isMarked || one.matches(marks)))
      .map((one) => squeeze(one.textContent))
    let around: Node | null = field.parentNode
    for (let level = 0; level < 3 && said.length === 0; level++) {
      if (!(around instanceof Element || around instanceof ShadowRoot)) break
      const within = everything(around, 2_000)
      if (within.filter((one) => isField(one) && one.getAttribute("type") !== "hidden").length > 1) break
      said.push(...complaintsAmong(within))
      around = around instanceof ShadowRoot ? around.host : around.parentNode
    }
    if (said.length > 0) return said.join("; ").slice(0, 300)
    return isMarked ? (field as HTMLInputElement).validationMessage || "the field is marked as invalid" : ""
  }

  // --- what it can be pressed on

  const isPressable =
    "button,[role=button],a,input[type=button],input[type=submit],[aria-label*=close i],[class*=close i]"
  const buttonsOf = (around: Element): ReadonlyArray<Button> => {
    const all = everything(around, 500).filter((one) => one.matches(isPressable) && isSeen(one))
    return all
      .filter((one) => !all.some((other) => other !== one && contains(other, one)))
      .slice(0, 20)
      .map((one) => {
        const written =
          orNull(one.getAttribute("aria-label")) ??
          orNull(says(one)) ??
          orNull(one.getAttribute("title")) ??
          orNull(one.querySelector("img[alt]")?.getAttribute("alt"))
        const isClose = /(^|[-_\s])close/i.test(one.getAttribute("class") ?? "")
        return { label: (written ?? (isClose ? "close" : "")).slice(0, 80), selector: selectorOf(one) }
      })
      .filter(({ label }) => label !== "")
  }

  /** The frames among elements that can be seen, each kept under a name of its own. */
  let inners = 0
  const framesAmong = (elements: ReadonlyArray<Element>): ReadonlyArray<Inner> =>
    elements
      .filter((one) => /^i?frame$/i.test(one.tagName) && isSeen(one))
      .map((one) => {
        const name = `inner ${inners++}`
        keep(name, one)
        return { name, selector: selectorOf(one) }
      })

  return {
    appearanceOf,
    buttonsOf,
    complaintOf,
    complaintsAmong,
    contains,
    everything,
    framesAmong,
    isField,
    isPress,
    isSeen,
    labelOf,
    orNull,
    selectorOf,
    squeeze,
    steps
  }
}

export type Looks = ReturnType<typeof looks>
