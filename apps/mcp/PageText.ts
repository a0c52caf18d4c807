/**
 * What a person reads on the snapshot of a page, and the elements that a step could use. Values of fields are left out.
 */
import { Parser } from "htmlparser2"

export interface PageElement {
  readonly selector: string
  readonly label: string
}

export interface PageText {
  readonly text: string
  readonly elements: ReadonlyArray<PageElement>
}

const unseen = new Set(["script", "style", "noscript", "template", "head", "svg"])
const usable = new Set(["a", "button", "input", "select", "textarea", "summary", "option"])
const roles = new Set(["button", "link", "tab", "menuitem", "checkbox", "radio", "combobox", "textbox", "switch"])
const lines = new Set(["p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "br", "section", "form", "table"])

const mostElements = 2_000
const mostText = 200_000

/** By what a selector finds an element, the stablest first. */
const selectorOf = (tag: string, attributes: Readonly<Record<string, string>>): string => {
  const { id, name, type } = attributes
  const quoted = (value: string) => `"${value.replaceAll('"', '\\"')}"`
  if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id)) return `#${id}`
  for (const test of ["data-testid", "data-test", "data-qa"]) {
    const value = attributes[test]
    if (value !== undefined) return `[${test}=${quoted(value)}]`
  }
  if (name !== undefined) return `${tag}[name=${quoted(name)}]`
  const label = attributes["aria-label"]
  if (label !== undefined) return `${tag}[aria-label=${quoted(label)}]`
  return type === undefined ? tag : `${tag}[type=${quoted(type)}]`
}

export const read = (html: string): PageText => {
  const text: Array<string> = []
  const elements: Array<{ readonly selector: string; readonly said: Array<string> }> = []
  const open: Array<{ readonly tag: string; readonly element: (typeof elements)[number] | null }> = []
  let hidden = 0
  let length = 0
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      if (unseen.has(tag)) hidden++
      if (lines.has(tag)) text.push("\n")
      const isUsable = usable.has(tag) || roles.has(attributes.role ?? "")
      const isShown = hidden === 0 && attributes.type !== "hidden" && attributes.hidden === undefined
      const element =
        isUsable && isShown && elements.length < mostElements
          ? {
              selector: selectorOf(tag, attributes),
              said: [attributes["aria-label"], attributes.placeholder, attributes.title].filter(
                (said): said is string => said !== undefined
              )
            }
          : null
      if (element !== null) elements.push(element)
      open.push({ tag, element })
    },
    ontext: (said) => {
      if (hidden > 0 || length > mostText) return
      length += said.length
      text.push(said)
      open.findLast(({ element }) => element !== null)?.element?.said.push(said)
    },
    onclosetag: (tag) => {
      if (unseen.has(tag)) hidden--
      open.pop()
    }
  })
  parser.end(html)
  const plain = (said: string) => said.replace(/[^\S\n]+/g, " ")
  return {
    text: plain(text.join(""))
      .replace(/ ?\n[\n ]*/g, "\n")
      .trim(),
    elements: elements.map(({ said, selector }) => ({ selector, label: plain(said.join(" ")).trim().slice(0, 120) }))
  }
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/\p{L}{2,}|\d+/gu) ?? []
  )

/** The elements that share the most words with what a step looked for, the likeliest first. */
export const nearest = (elements: ReadonlyArray<PageElement>, sought: string, most: number) => {
  const wanted = wordsOf(sought)
  const scored = elements.map((element) => {
    const has = wordsOf(`${element.selector} ${element.label}`)
    const shared = [...wanted].filter((word) => has.has(word)).length
    return { element, score: shared / Math.max(1, has.size + wanted.size - shared) }
  })
  // Where nothing resembles it, the first elements of the page are as good as any.
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ element }) => element)
}
