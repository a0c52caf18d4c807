/**
 * The properties of an element that its selector implies, for use when nothing else is known of it.
 */
import { type Appearance, type Trait, unknown } from "../../browser/element/Appearance.ts"

const traitOf: Readonly<Record<string, Trait>> = {
  id: "id",
  name: "name",
  type: "type",
  role: "role",
  title: "title",
  alt: "alt",
  placeholder: "placeholder",
  "aria-label": "ariaLabel",
  "data-testid": "testId",
  "data-test-id": "testId",
  "data-test": "testId",
  "data-cy": "testId",
  "data-qa": "testId"
}

/** Reads the attributes and texts that a selector asks for of its last step. Other steps name other elements. */
export const of = (selector: string): Appearance => {
  if (selector.startsWith("text=")) return { ...unknown, text: unquoted(selector.slice(5)) }
  if (selector.startsWith("role=")) return ofRole(selector.slice(5))
  if (selector.startsWith("css=")) return ofCss(selector.slice(4))
  return ofXPath(selector.replace(/^xpath=/, ""))
}

const ofRole = (selector: string): Appearance => {
  const name = /\[name=(?:"([^"]+)"|'([^']+)')/.exec(selector)
  return { ...unknown, role: /^\w+/.exec(selector)?.[0] ?? null, text: name?.[1] ?? name?.[2] ?? null }
}

const ofCss = (selector: string): Appearance => {
  const wanted = without(selector, /:not\(/i)
  const last = lastCompound(wanted)
  const found: Partial<Record<Trait, string>> = {}
  const id = /#([\w-]+)/.exec(last.replace(/\[[^[\]]*\]/g, ""))
  if (id?.[1] !== undefined) found.id = id[1]
  for (const [, attribute = "", sign = "", value = ""] of last.matchAll(/\[([\w-]+)([*^$~|]?)=["']?([^"'\]]+)["']?/g)) {
    note(found, attribute, value, sign === "")
  }
  const shown = /:has-text\(["']([^"']+)["']\)/.exec(last)
  if (shown?.[1] !== undefined) found.text = shown[1]
  return { ...unknown, ...found, tag: /^[a-z][\w-]*/i.exec(last)?.[0].toLowerCase() ?? "" }
}

/** What stands behind the last combinator. What looks like one between brackets is a part of a value. */
const lastCompound = (selector: string): string => {
  let last = ""
  for (const [piece] of selector.matchAll(/\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]?|[>+~\s]+|[^[>+~\s]+/g)) {
    last = /^[>+~\s]/.test(piece) ? "" : last + piece
  }
  return last
}

const ofXPath = (selector: string): Appearance => {
  const last = without(lastStep(selector), /\bnot\s*\(/)
  const found: Partial<Record<Trait, string>> = {}
  for (const [, attribute = "", one, other] of last.matchAll(/@([\w-]+)\s*=\s*(?:"([^"]+)"|'([^']+)')/g)) {
    note(found, attribute, one ?? other ?? "", true)
  }
  const shown =
    /(?:text\(\)|normalize-space\([^()]*\)|\.|lower-case\([^()]*\))\s*=\s*(?:"([^"]+)"|'([^']+)')/.exec(last) ??
    /contains\(\s*(?:\.|text\(\)|normalize-space\([^()]*\)|lower-case\([^()]*\))\s*,\s*(?:"([^"]+)"|'([^']+)')/.exec(
      last
    )
  const text = shown?.[1] ?? shown?.[2]
  if (text !== undefined) found.text = text
  const tag = /^(?:[\w-]+::)?([a-z][\w-]*)/i.exec(last)?.[1]?.toLowerCase() ?? ""
  return { ...unknown, ...found, tag }
}

/** A selector without what it says the element is not: from each negation to the bracket that closes it. */
const without = (selector: string, negation: RegExp): string => {
  const found = negation.exec(selector)
  if (found === null) return selector
  let quote = ""
  let depth = 1
  let end = found.index + found[0].length
  for (; end < selector.length && depth > 0; end++) {
    const one = selector.charAt(end)
    if (quote !== "") quote = one === quote ? "" : quote
    else if (one === '"' || one === "'") quote = one
    else if (one === "(") depth++
    else if (one === ")") depth--
  }
  return selector.slice(0, found.index) + without(selector.slice(end), negation)
}

/** The last step of a path, with its predicates: slashes within these belong to them. */
const lastStep = (path: string): string => {
  let depth = 0
  let quote = ""
  let start = 0
  for (let at = 0; at < path.length; at++) {
    const one = path.charAt(at)
    if (quote !== "") quote = one === quote ? "" : quote
    else if (one === '"' || one === "'") quote = one
    else if (one === "[" || one === "(") depth++
    else if (one === "]" || one === ")") depth--
    else if (one === "/" && depth === 0) start = at + 1
  }
  return path.slice(start)
}

const note = (found: Partial<Record<Trait, string>>, attribute: string, value: string, isWhole: boolean): void => {
  const trait = traitOf[attribute]
  if (trait !== undefined) found[trait] = value
  else if (attribute === "href" && isWhole)
    found.hrefPath = value.replace(/^[a-z]+:\/\/[^/]+/i, "").replace(/[?#].*$/s, "")
}

const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, "$2")
