/**
 * Checks the syntax of XPath selectors. Every valid expression of XPath 3.1 is accepted; some invalid ones are, too.
 */
import * as TextLength from "../../../window/TextLength.ts"

/** How long a selector may be, in characters: longer than realistic selectors, and fast to parse. */
export const maxLength = 10_000

/**
 * The reason why a selector is invalid; `null` if it is valid, or if only the page can decide, as for a bare `#name`.
 */
export const check = (selector: string): string | null => {
  if (!selector.includes("{{") && !TextLength.fits(selector, maxLength)) {
    return `Expected a selector of at most ${maxLength} characters, got ${TextLength.of(selector)}`
  }
  if (selector.includes("{{") || /^((css|role|text)=|#)/.test(selector)) return null
  const path = selector.startsWith("xpath=") ? selector.slice(6) : selector
  if (path.trim() === "") return null
  const wrong = firstWrong(path)
  if (wrong === null) return null
  const hint = looksLikeCss(selector) ? `. For a CSS selector, write css=${shortened(path)}` : ""
  return `Cannot read the XPath ${shortened(path)}: ${wrong}${hint}`
}

const shortened = (path: string): string => (path.length <= 100 ? path : `${path.slice(0, 100)}…`)

/**
 * Whether a selector without a prefix is probably meant as CSS, such as `#user`, `.btn`, `form > button` or
 * `input[name=user]`. As an XPath, such a text is invalid, or matches nothing in a document.
 */
export const looksLikeCss = (selector: string): boolean => {
  const path = selector.trim().replace(/"[^"]*"|'[^']*'/g, '""')
  if (path.includes("{{") || /^(css|role|text|xpath)=/.test(path)) return false
  if (/^[#.][A-Za-z_-]|^\[[A-Za-z-]+([~|^$*]?=|\])/.test(path)) return true
  return /^[A-Za-z][\w-]*([.#[:>+~\s]|$)/.test(path) && !/[/@$|(]|::/.test(path.replace(/:[a-z-]+\([^()]*\)/g, ""))
}

const token =
  /\s+|\(:(?:[^:]|:(?!\)))*:\)|"(?:[^"]|"")*"|'(?:[^']|'')*'|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Q\{[^}]*\}|[\p{L}_][\p{L}\p{N}\p{M}_.\-·]*|::|:=|:|\.\.|\/\/|\|\||=>|!=|<<|>>|<=|>=|[()[\]{}.@$*?,/|+\-=<>!#]/uy

const operators = new Set(
  "and or div mod idiv eq ne lt le gt ge is to union intersect except then else return satisfies in".split(" ")
)
const operatorsOfTypes = new Set(["instance", "treat", "castable", "cast"])
const binders = new Set(["for", "let", "some", "every"])
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

const isName = (text: string): boolean => /^[\p{L}_]/u.test(text)

const firstWrong = (path: string): string | null => {
  const tokens: Array<string> = []
  token.lastIndex = 0
  while (token.lastIndex < path.length) {
    const at = token.lastIndex
    const found = token.exec(path)
    if (found === null) {
      const quote = path[at]
      return quote === '"' || quote === "'"
        ? `the text that begins at character ${at + 1} has no end`
        : `unexpected ${path[at]} at character ${at + 1}`
    }
    if (!/^(\s|\(:)/.test(found[0])) tokens.push(found[0])
  }
  const open: Array<string> = []
  /** Whether an operand must follow. */
  let wanting = true
  let type = false
  for (let index = 0; index < tokens.length; index++) {
    const one = tokens[index] ?? ""
    const next = tokens[index + 1]
    if (one === ")" || one === "]" || one === "}") {
      const before = tokens[index - 1] ?? ""
      const isEmpty = before === "(" || before === "{" || (before === "[" && tokens[index - 2] === undefined)
      const isRoot = before === "/"
      if (closing[open.pop() ?? ""] !== one) return `unexpected ${one}`
      if (wanting && !isEmpty && !isRoot) return `something is missing before ${one}`
      wanting = false
    } else if (wanting) {
      if (one in closing) open.push(one)
      else if (one === "/" || one === "//") {
        if (next === "/" || next === "//" || (one === "//" && next === undefined)) return `unexpected ${next ?? "end"}`
        if (one === "/" && (next === undefined || next === "|" || next === ",")) wanting = false
      } else if (one === "-" || one === "+" || one === "@" || one === "$" || one === "?") {
        // An operand follows.
      } else if (isName(one)) {
        if (next === "::") index++
        else if (next === ":" && (isName(tokens[index + 2] ?? "") || tokens[index + 2] === "*")) {
          index += 2
          wanting = false
        } else if (!(binders.has(one) && next === "$")) wanting = false
      } else if (/^([\d"'.*]|Q\{)/.test(one)) {
        if (one === "*" && next === ":") index += 2
        if (!one.startsWith("Q{")) wanting = false
      } else return `unexpected ${one}`
    } else if (one === "(" || one === "[") {
      open.push(one)
      wanting = true
    } else if (one === "{") {
      open.push(one)
      wanting = true
    } else if (type && (one === "?" || one === "*" || one === "+")) {
      type = false
    } else if (one === "#" || one === "?" || isOperator(one)) {
      if (operatorsOfTypes.has(one)) {
        index++
        type = true
      }
      wanting = true
    } else return `unexpected ${one.slice(0, 20)}`
  }
  if (open.length > 0) return `${open.at(-1)} is not closed`
  return wanting ? "something is missing at its end" : null
}

const isOperator = (one: string): boolean =>
  operators.has(one) || operatorsOfTypes.has(one) || /^(\/\/?|\|\|?|[-+*=<>!,:]|!=|<=|>=|<<|>>|=>|:=)$/.test(one)
