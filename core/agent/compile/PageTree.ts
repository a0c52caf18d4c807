/** The elements of the HTML that a page gives of its readable content. */

export interface TreeElement {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly parent: TreeElement | null
  readonly children: Array<TreeElement>
  /** All text in it, with one blank wherever there is white space. */
  text: string
}

const token = /<(\/?)([a-z][^\s>/]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*>|([^<]+)/g
const attribute = /([^\s=>]+)(?:="([^"]*)")?/g
const isVoid = /^(br|hr|img|input|wbr)$/

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** The elements in the order of the document. Ends that do not belong to the innermost element are left out. */
export const read = (html: string): ReadonlyArray<TreeElement> => {
  const all: Array<TreeElement> = []
  let open: TreeElement | null = null
  const texts = new Map<TreeElement, Array<string>>()
  const say = (text: string) => {
    for (let at = open; at !== null; at = at.parent) texts.get(at)?.push(text)
  }
  for (const [, end, tag = "", written = "", text] of html.matchAll(token)) {
    if (text !== undefined) {
      say(unescaped(text))
      continue
    }
    if (end === "/") {
      if (open?.tag === tag) open = open.parent
      continue
    }
    const attributes = new Map(
      [...written.matchAll(attribute)].map(([, name = "", value = ""]) => [name, unescaped(value)] as const)
    )
    const element: TreeElement = { tag, attributes, parent: open, children: [], text: "" }
    open?.children.push(element)
    all.push(element)
    texts.set(element, [])
    if (isVoid.test(tag)) say(" ")
    else open = element
  }
  for (const element of all) element.text = (texts.get(element) ?? []).join("").replace(/\s+/g, " ").trim()
  return all
}

/** The position of an element among those of its tag in what it is in, from 1. */
export const positionOf = (element: TreeElement): number =>
  (element.parent?.children ?? [element]).filter(({ tag }) => tag === element.tag).indexOf(element) + 1

/** Whether an element is another one, or in it. */
export const isWithin = (element: TreeElement, outer: TreeElement): boolean => {
  for (let at: TreeElement | null = element; at !== null; at = at.parent) if (at === outer) return true
  return false
}
