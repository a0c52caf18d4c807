/** The elements of the HTML that a page gives of its readable content. */

export interface TreeElement {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly parent: TreeElement | null
  readonly children: Array<TreeElement>
  /** Its place in the document, and that of the first element after it that is not in it. */
  readonly at: number
  end: number
  /** All text in it, with one blank wherever there is white space. */
  text: string
}

/** The elements in the order of the document, and how many of them have the same. */
export interface PageTree {
  readonly all: ReadonlyArray<TreeElement>
  readonly sameAttribute: (tag: string, name: string, value: string) => number
  readonly sameText: (tag: string, text: string) => number
}

/** The most elements, and the most around one, of a page that is searched. */
const mostElements = 20_000
const deepest = 200

// No value of an attribute has a sign of markup in it.
const token = /<[^<>]*>|[^<]+/g
const attribute = /([^\s=>"]+)(?:="([^"]*)")?/g
const isVoid = /^(br|hr|img|input|wbr)$/

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** The elements of a page; none of one that is too large. Ends that do not belong to the innermost element are left out. */
export const read = (html: string): PageTree => {
  const all: Array<TreeElement> = []
  const open: Array<TreeElement> = []
  const texts = new Map<TreeElement, Array<string>>()
  const say = (text: string) => {
    for (const element of open) texts.get(element)?.push(text)
  }
  for (const [piece] of html.matchAll(token)) {
    if (!piece.startsWith("<")) {
      say(unescaped(piece))
      continue
    }
    const isEnd = piece.startsWith("</")
    const [[, tag = ""] = [], ...written] = piece.slice(isEnd ? 2 : 1, -1).matchAll(attribute)
    const parent = open.at(-1) ?? null
    if (isEnd) {
      if (parent?.tag !== tag) continue
      parent.end = all.length
      open.pop()
      continue
    }
    if (all.length >= mostElements || open.length >= deepest) return treeOf([])
    const attributes = new Map(written.map(([, name = "", value = ""]) => [name, unescaped(value)] as const))
    const element: TreeElement = {
      tag,
      attributes,
      parent,
      children: [],
      at: all.length,
      end: all.length + 1,
      text: ""
    }
    parent?.children.push(element)
    all.push(element)
    texts.set(element, [])
    if (isVoid.test(tag)) say(" ")
    else open.push(element)
  }
  for (const element of open) element.end = all.length
  for (const element of all) element.text = (texts.get(element) ?? []).join("").replace(/\s+/g, " ").trim()
  return treeOf(all)
}

const treeOf = (all: ReadonlyArray<TreeElement>): PageTree => {
  const counts = new Map<string, number>()
  const count = (...key: ReadonlyArray<string>) => {
    const text = JSON.stringify(key)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const counted = (...key: ReadonlyArray<string>) => counts.get(JSON.stringify(key)) ?? 0
  for (const { attributes, tag, text } of all) {
    if (text.length <= longestText) count(tag, text)
    for (const [name, value] of attributes) count(tag, name, value)
  }
  return { all, sameAttribute: counted, sameText: counted }
}

/** The length of the longest text that is counted, in characters. */
export const longestText = 60

/** The elements in an element, itself first. */
export const within = ({ all }: PageTree, { at, end }: TreeElement): ReadonlyArray<TreeElement> => all.slice(at, end)

/** The position of an element among those of its tag in what it is in, from 1. */
export const positionOf = (element: TreeElement): number =>
  (element.parent?.children ?? [element]).filter(({ tag }) => tag === element.tag).indexOf(element) + 1

/** Whether an element is another one, or in it. */
export const isWithin = (element: TreeElement, outer: TreeElement): boolean =>
  outer.at <= element.at && element.at < outer.end
