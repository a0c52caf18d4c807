/**
 * The meaning of a selector that can be derived without a page: of which kind it is, which frames it crosses, and how
 * much work it asks for.
 */
import * as TextLength from "../../window/TextLength.ts"
import { maxLength } from "../../workflow/language/graph/SelectorSyntax.ts"

/** A selector that is parsed for evaluation. */
export type Selector =
  /** An XPath. Each of `frames` leads to frames, in whose documents the next one is evaluated; `query` comes last. */
  | { readonly kind: "xpath"; readonly frames: ReadonlyArray<Query>; readonly query: Query }
  /** `css=`, `role=` or `text=`, whole. */
  | { readonly kind: "named"; readonly text: string }
  /** A selector that must not be evaluated. */
  | { readonly kind: "refused"; readonly reason: string }

/** One XPath, in the words of both engines. It is sent to the page, so it is plain data. */
export interface Query {
  /** For the browser's own engine, which reads XPath 1.0. */
  readonly plain: string
  /** For the engine of XPath 3.1: names in lower case, as HTML has them, and descents that need no sorting. */
  readonly modern: string
  /**
   * How many times over the whole document is walked for each element that is looked at: 1 for `//a[count(//b) > 1]`.
   * The work grows with the size of the document to the power of one more than this.
   */
  readonly weight: number
}

export const parse = (selector: string): Selector => {
  if (!TextLength.fits(selector, maxLength))
    return { kind: "refused", reason: `it is longer than ${maxLength} characters` }
  if (/^(css|role|text)=/.test(selector)) return { kind: "named", text: selector }
  const tokens = tokensOf(selector.replace(/^xpath=/, "").trim())
  const reserved = tokens.find(
    ({ kind, text }, at) =>
      (kind === "name" && text === "fontoxpath" && tokens[at + 1]?.text === ":") ||
      (kind === "name" && text === "Q" && tokens[at + 1]?.text === "{")
  )
  if (reserved !== undefined) return { kind: "refused", reason: "functions of other namespaces are not allowed" }
  const parts = splitAtFrames(tokens).map(queryOf)
  return { kind: "xpath", frames: parts.slice(0, -1), query: parts[parts.length - 1] ?? queryOf(tokens) }
}

/** The query of one path, without regard to the frames that it may cross. */
export const query = (path: string): Query => queryOf(tokensOf(path.trim()))

/** A path relative to a row: what would begin at the document begins at the row. Predicates are not changed. */
export const relative = (path: string): string => {
  const tokens = tokensOf(path)
  let depth = 0
  return tokens
    .map(({ text }, at) => {
      if (text === "[") depth++
      if (text === "]") depth--
      return depth === 0 && (text === "/" || text === "//") && beginsPath(tokens, at) ? `.${text}` : text
    })
    .join("")
}

/** A path in a row that counts cells: which one, and the path from there, empty for the cell itself. */
export interface CellPath {
  /** The kind of the cells that are counted, and the kind that the cell must have; `null` for any. */
  readonly counts: "td" | "th" | null
  readonly is: "td" | "th" | null
  readonly at: number
  readonly rest: string
}

/** The cell that a path in a row counts, as `./td[2]` and `css=td:nth-child(2)` do; `null` for any other path. */
export const cellOf = (path: string): CellPath | null => {
  const kindOf = (tag = "") => (/^td$/i.test(tag) ? "td" : /^th$/i.test(tag) ? "th" : null)
  const counted =
    /^(?:xpath=)?\s*(?:\.?\/)?(?:child::)?(td|th|\*)\s*\[\s*(\d{1,4})\s*\]((?:\/\/?(?:@?[\w.:-]+|\*|text\(\))(?:\[[^[\]]*\])*)*)$/i.exec(
      path.trim()
    )
  if (counted !== null) {
    const [, tag, at, rest = ""] = counted
    return { counts: kindOf(tag), is: null, at: Number(at), rest: rest === "" ? "" : `.${rest}` }
  }
  if (!path.startsWith("css=")) return null
  const style = path.slice(4).trim().replace(/\s+/g, " ")
  const styled = /^(?::scope)? ?>? ?(td|th)?:nth-child\( ?(\d{1,4}) ?\)((?: ?>| )[^,]*)?$/i.exec(style)
  if (styled === null) return null
  const [, tag, at, rest = ""] = styled
  return { counts: null, is: kindOf(tag), at: Number(at), rest: rest.trim() === "" ? "" : `css=:scope ${rest.trim()}` }
}

/** Whether a path names one of several elements by its position: in its last step, besides one to an attribute or a text. */
export const isPositioned = (path: string): boolean => {
  if (path.startsWith("css=")) return /:(nth|first|last|only)-|>>\s*nth=/.test(lastCompound(path))
  const tokens = tokensOf(path).filter(({ kind }) => kind !== "space")
  const whole = tokens.map(({ text }) => text).join("")
  const attribute = /(?:\/@[^/[\]()]+|\/?\/text\(\))$/.exec(whole)?.[0] ?? ""
  let end = tokens.length
  for (let left = attribute.length; left > 0; ) left -= tokens[--end]?.text.length ?? left
  while (tokens[end - 1]?.text === "]") {
    const start = opened(tokens, end - 1)
    if (isPosition(tokens.slice(start + 1, end - 1))) return true
    end = start
  }
  return false
}

/** What a CSS selector has after its last combinator. */
const lastCompound = (css: string): string => {
  let depth = 0
  for (let at = css.length - 1; at >= 0; at--) {
    const sign = css.charAt(at)
    if (sign === ")" || sign === "]") depth++
    if (sign === "(" || sign === "[") depth--
    if (depth === 0 && /[\s>+~]/.test(sign)) return css.slice(at)
  }
  return css
}

const isPosition = (predicate: ReadonlyArray<Token>): boolean =>
  (predicate.length === 1 && predicate[0]?.kind === "number") ||
  predicate.some(({ text }, at) => (text === "position" || text === "last") && predicate[at + 1]?.text === "(")

interface Token {
  readonly kind: "space" | "string" | "number" | "name" | "sign"
  readonly text: string
}

const grammar =
  /(?<space>\s+|\(:(?:(?!\(:)[\s\S])*?:\))|(?<string>"(?:[^"]|"")*"|'(?:[^']|'')*')|(?<number>\d+(?:\.\d*)?|\.\d+)|(?<name>[\p{L}_][\p{L}\p{N}_.-]*)|(?<sign>\/\/|::|\.\.|[\s\S])/gu

const tokensOf = (path: string): ReadonlyArray<Token> =>
  [...path.matchAll(grammar)].map((match): Token => {
    const { name, number, space, string } = match.groups ?? {}
    const kind = space ? "space" : string ? "string" : number ? "number" : name ? "name" : "sign"
    return { kind, text: match[0] }
  })

/** The place of the next token in a direction that is no space. */
const beside = (tokens: ReadonlyArray<Token>, at: number, step: 1 | -1): number => {
  let index = at + step
  while (tokens[index]?.kind === "space") index += step
  return index
}

const before = (tokens: ReadonlyArray<Token>, at: number): Token | undefined => tokens[beside(tokens, at, -1)]

const after = (tokens: ReadonlyArray<Token>, at: number): Token | undefined => tokens[beside(tokens, at, 1)]

const words = new Set(
  "and or div mod idiv to eq ne lt gt le ge is union intersect except return in satisfies then else if for let some every".split(
    " "
  )
)

/** Whether a name in this place is an operator and not the name of an element. */
const isOperator = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const token = tokens[at]
  if (token?.kind !== "name" || !words.has(token.text)) return false
  const previous = before(tokens, at)
  return previous !== undefined && !["/", "//", "::", "@", "(", "[", ",", "$"].includes(previous.text)
}

/** Whether the slash at this position begins a path, and does not continue one. */
const beginsPath = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const index = beside(tokens, at, -1)
  const previous = tokens[index]
  if (previous === undefined) return true
  if (previous.kind === "name") return isOperator(tokens, index) || previous.text === "return"
  return previous.kind === "sign" && ![")", "]", "}", ".", "..", "*"].includes(previous.text)
}

const closing: Readonly<Record<string, string>> = { "]": "[", ")": "(", "}": "{" }

/** The place of the bracket that the one in this place closes. */
const opened = (tokens: ReadonlyArray<Token>, at: number): number => {
  const close = tokens[at]?.text ?? ""
  let depth = 0
  for (let index = at; index >= 0; index--) {
    if (tokens[index]?.text === close) depth++
    if (tokens[index]?.text === closing[close] && --depth === 0) return index
  }
  return 0
}

/** The place after the bracket that closes the one in this place. */
const closed = (tokens: ReadonlyArray<Token>, at: number): number => {
  let depth = 0
  for (let index = at; index < tokens.length; index++) {
    const text = tokens[index]?.text ?? ""
    if (text === "[" || text === "(" || text === "{") depth++
    if ((text === "]" || text === ")" || text === "}") && --depth === 0) return index + 1
  }
  return tokens.length
}

/** Whether the path that ends before this place ends at frames. */
const endsAtFrame = (tokens: ReadonlyArray<Token>, end: number): boolean => {
  let at = end - 1
  while (at >= 0 && (tokens[at]?.kind === "space" || tokens[at]?.text === "]")) {
    at = tokens[at]?.text === "]" ? opened(tokens, at) - 1 : at - 1
  }
  const last = tokens[at]
  if (last?.text === ")") {
    const start = opened(tokens, at)
    if (before(tokens, start)?.kind === "name") return false
    return endsAtFrame(tokens.slice(start + 1, at), at - start - 1)
  }
  return last?.kind === "name" && /^i?frame$/i.test(last.text) && before(tokens, at)?.text !== "@"
}

/** A path, split after each step that leads into frames. */
const splitAtFrames = (tokens: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> => {
  const parts: Array<ReadonlyArray<Token>> = []
  let depth = 0
  let start = 0
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "sign" && !isOperator(tokens, at)) continue
    // Only a single path leads through frames.
    if (depth === 0 && (kind === "name" || /^[|,=<>!+]$/.test(text))) return [tokens]
    if (text === "[" || text === "(" || text === "{") depth++
    if (text === "]" || text === ")" || text === "}") depth--
    if (depth > 0 || (text !== "/" && text !== "//")) continue
    const way = tokens.slice(start, at)
    if (!endsAtFrame(way, way.length)) continue
    parts.push(way)
    start = at
  }
  return [...parts, tokens.slice(start)]
}

const queryOf = (tokens: ReadonlyArray<Token>): Query => ({
  plain: tokens.map(({ text }) => text).join(""),
  modern: modernOf(tokens),
  weight: weightOf(tokens)
})

const weightOf = (tokens: ReadonlyArray<Token>): number => {
  let depth = 0
  let weight = 0
  for (const [at, { text }] of tokens.entries()) {
    if (text === "[") depth++
    if (text === "]") depth--
    const isFar = text === "following" || text === "preceding" ? after(tokens, at)?.text === "::" : false
    if (isFar || ((text === "/" || text === "//") && beginsPath(tokens, at))) weight = Math.max(weight, depth)
  }
  return weight
}

/**
 * `//a` as `/descendant::a`, which yields the same elements in their order at once, unless a predicate counts positions;
 * and names of elements in lower case.
 */
const modernOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map(({ kind, text }, at) => {
      if (kind === "name") return isElementName(tokens, at) ? text.toLowerCase() : text
      if (text !== "//") return text
      const index = beside(tokens, at, 1)
      const next = tokens[index]
      const isTest = next !== undefined && (next.text === "*" || (next.kind === "name" && isElementName(tokens, index)))
      return isTest && predicatesAfter(tokens, index).every(isCondition) ? "/descendant::" : text
    })
    .join("")

const isElementName = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  const previous = before(tokens, at)?.text ?? ""
  const next = after(tokens, at)?.text ?? ""
  if (next === "(" || next === "::" || next === ":" || previous === "@" || previous === "$" || previous === ":")
    return false
  return previous === "/" || previous === "//" || previous === "::"
}

const predicatesAfter = (tokens: ReadonlyArray<Token>, at: number): ReadonlyArray<ReadonlyArray<Token>> => {
  const found: Array<ReadonlyArray<Token>> = []
  let next = at + 1
  while (true) {
    while (tokens[next]?.kind === "space") next++
    if (tokens[next]?.text !== "[") return found
    const end = closed(tokens, next)
    found.push(tokens.slice(next + 1, end - 1))
    next = end
  }
}

const conditions = new Set("contains starts-with ends-with matches not exists empty boolean".split(" "))

/** Whether a predicate is a condition, as opposed to a position. */
const isCondition = (predicate: ReadonlyArray<Token>): boolean => {
  const tokens = predicate.filter(({ kind }) => kind !== "space")
  if (tokens.some(({ text }) => text === "position" || text === "last")) return false
  const [first, second] = tokens
  if (first?.text === "@" && tokens.length === 2) return true
  if (
    first?.kind === "name" &&
    conditions.has(first.text) &&
    second?.text === "(" &&
    closed(tokens, 1) === tokens.length
  ) {
    return true
  }
  let depth = 0
  return tokens.some(({ text }, at) => {
    if (text === "[" || text === "(") depth++
    if (text === "]" || text === ")") depth--
    return (
      depth === 0 && (/^[=<>]$/.test(text) || (isOperator(tokens, at) && /^(and|or|eq|ne|lt|gt|le|ge)$/.test(text)))
    )
  })
}
