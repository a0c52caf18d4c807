/** Selectors of other programs in the language of workflows, and which of them lasts longest. */
import { aroundBraces, type Element } from "./Recording.ts"

/** One way to find an element. */
export interface Locator {
  readonly selector: string
  /** How soon a change of the page breaks it: 1 for an attribute that is there for programs, 9 for a position. */
  readonly fragility: number
  /** What a person calls the element; empty where the selector does not tell. */
  readonly name: string
}

/** The element of several locators, the most durable first; `null` without any. */
export const elementOf = (locators: ReadonlyArray<Locator>): Element | null => {
  const [first, ...others] = [
    ...new Set(locators.toSorted((one, other) => one.fragility - other.fragility).map(({ selector }) => selector))
  ]
  const named = locators.find(({ name }) => name !== "" && name.length <= 80)
  return first === undefined ? null : { selectors: [first, ...others], name: named?.name.replace(/\s+/g, " ") ?? "" }
}

/** A text as a literal of XPath, which has no escapes. */
export const quoted = (text: string): string =>
  !text.includes("'")
    ? `'${text}'`
    : !text.includes('"')
      ? `"${text}"`
      : `concat('${text.split("'").join("', \"'\", '")}')`

/** A text as a string of CSS or of a role. */
export const inQuotes = (text: string): string =>
  `"${aroundBraces(text, (part) => part.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " "))}"`

const forPrograms = /@?\bdata-?(?:testid|test-id|test|cy|qa|e2e|automation|automation-id)\b/i

/** Whether a name was made by a program, and so changes with the next version of the page. */
const isGenerated = (name: string): boolean =>
  /\d{4}|^:r|^(?:ember|ext-|gwt-|mui-|radix-|react-|headlessui-|__)|[0-9a-f]{8}-|(?:^|[-_])sc-|^css-|__\w{5}/.test(
    name
  ) ||
  name
    .split(/[^A-Za-z0-9]/)
    .some((word) => word.length >= 10 && /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word))

/** A selector without what it has in brackets. */
const outside = (selector: string): string => {
  let depth = 0
  let kept = ""
  for (const sign of selector) {
    if (sign === "[") depth++
    if (depth === 0) kept += sign
    if (sign === "]") depth--
  }
  return kept
}

const wordsOf = (name: string): string =>
  isGenerated(name)
    ? ""
    : name
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .replace(/[-_]+/g, " ")
        .trim()

const fragilityOfCss = (style: string): number => {
  if (forPrograms.test(style)) return /nth-|[>+~]/.test(style) ? 6 : 1
  const id = /#((?:[\w-]|\\.)+)/.exec(style)?.[1]
  const isSingle = !/\s|[>+~]/.test(outside(style).trim())
  const isCounted = /:nth-|:first-|:last-/.test(style)
  if (id !== undefined && !isGenerated(id)) return isSingle ? 2 : isCounted ? 8 : 5
  if (/\[(?:aria-label|name|placeholder|title|alt|for|href|type=["']?(?:password|email|submit))/.test(style)) {
    return isSingle ? 3 : isCounted ? 8 : 5
  }
  if (isCounted) return 9
  return isSingle ? 7 : 8
}

export const css = (style: string): Locator => {
  const attribute = /\[(?:aria-label|placeholder|title|alt|name|data-[\w-]+)[~|^$*]?=\s*["']?([^"'\]]+)/.exec(
    style
  )?.[1]
  const id = /#((?:[\w-]|\\.)+)/.exec(style)?.[1] ?? ""
  return {
    selector: `css=${style.trim()}`,
    fragility: fragilityOfCss(style),
    name: attribute ?? wordsOf(id)
  }
}

export const xpath = (path: string): Locator => {
  const trimmed = path.trim()
  const [, id = ""] = /@id\s*=\s*["']([^"']*)["']/.exec(trimmed) ?? []
  const [, attribute] =
    /@(?:aria-label|placeholder|title|alt|name|data-[\w-]+)\s*=\s*["']([^"']*)["']/.exec(trimmed) ?? []
  const [, text] = /(?:text\(\)|normalize-space\([^()]*(?:\(\))?\)|\.)\s*(?:=|,)\s*["']([^"']+)["']/.exec(trimmed) ?? []
  const isCounted = /\[\d+\]|position\(\)|last\(\)/.test(trimmed)
  const isSingle = !outside(trimmed)
    .replace(/^\(?\/\/?/, "")
    .includes("/")
  const fragility = forPrograms.test(trimmed)
    ? isCounted
      ? 6
      : 1
    : id !== "" && !isGenerated(id)
      ? isCounted
        ? 8
        : isSingle
          ? 2
          : 5
      : attribute !== undefined
        ? isCounted
          ? 8
          : 3
        : text !== undefined
          ? isCounted
            ? 8
            : 5
          : 9
  return { selector: trimmed, fragility, name: attribute ?? text ?? wordsOf(id) }
}

export const id = (value: string): Locator => ({
  selector: `//*[@id=${quoted(value)}]`,
  fragility: isGenerated(value) ? 8 : 2,
  name: wordsOf(value)
})

export const attribute = (name: string, value: string): Locator => ({
  selector: `//*[@${name}=${quoted(value)}]`,
  fragility: forPrograms.test(name) ? 1 : 3,
  name: forPrograms.test(name) ? wordsOf(value) : value
})

/** A role with its name; the name as a whole or, otherwise, as a part in any case. */
export const role = (role: string, name: string | null, isWhole = true, states = ""): Locator => ({
  selector: `role=${role}${name === null ? "" : isWhole ? `[name=${inQuotes(name)}]` : `[name*=${inQuotes(name)}i]`}${states}`,
  fragility: name === null ? 8 : 3,
  name: name ?? role
})

/** The element with an accessible name, whatever its role. */
export const named = (name: string): Locator => {
  const text = quoted(name)
  return {
    selector: `//*[@aria-label=${text} or @title=${text} or @alt=${text} or (self::input and (@value=${text} or @placeholder=${text})) or ((self::a or self::button or @role) and normalize-space()=${text}) or @id=//label[normalize-space()=${text}]/@for]`,
    fragility: 4,
    name
  }
}

/** The smallest element with a text: as a whole or, otherwise, as a part in any case. */
export const text = (text: string, isWhole = false): Locator => ({
  selector: `text=${isWhole || /^["']|["']$|^\s|\s$|>>/.test(text) ? inQuotes(text) : text}`,
  fragility: 5,
  name: text
})

/** The field with a label. */
export const label = (text: string, isWhole = false): Locator => {
  const value = quoted(text)
  const is = (what: string) => (isWhole ? `${what}=${value}` : `contains(${what}, ${value})`)
  const ofLabel = `label[${is("normalize-space()")}]`
  return {
    selector: `//*[(self::input or self::textarea or self::select or @role or @contenteditable) and (${is("@aria-label")} or @id=//${ofLabel}/@for or ancestor::${ofLabel})]`,
    fragility: 3,
    name: text
  }
}

/** An attribute that contains a text in any case, or is it. */
export const withAttribute = (name: string, value: string, isWhole = false): Locator => ({
  selector: isWhole ? `css=[${name}=${inQuotes(value)}]` : `css=[${name}*=${inQuotes(value)} i]`,
  fragility: 3,
  name: value
})

/** A locator within another one, where both are of the kinds that Playwright chains. */
export const within = (outer: string, inner: Locator): Locator => ({
  ...inner,
  selector: `${chained(outer)} >> ${chained(inner.selector)}`,
  fragility: Math.min(9, inner.fragility + 1)
})

/** A selector as a part of a chain, which begins with `css=`, `role=` or `text=`. */
export const chained = (selector: string): string =>
  /^(css|role|text)=/.test(selector) ? selector : `xpath=${selector.replace(/^xpath=/, "")}`
