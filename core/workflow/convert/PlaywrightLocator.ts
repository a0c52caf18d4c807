/** Locators of Playwright and Puppeteer as selectors of workflows. */
import * as Locator from "./Locator.ts"
import { aroundBraces, type Element, shown } from "./Recording.ts"

/** A locator: the parts of its chain, each of an engine of Playwright, the outermost first. */
export interface Parts {
  readonly parts: ReadonlyArray<string>
  readonly name: string
}

export const whole: Parts = { parts: [], name: "" }

/** A text, or a pattern of one. */
export type Wanted = string | { readonly source: string; readonly flags: string }

const patterned = ({ flags, source }: Exclude<Wanted, string>): string => `/${source}/${flags.replace(/[^ims]/g, "")}`

const added = (outer: Parts, part: string, name = ""): Parts => ({
  parts: [...outer.parts, part],
  name: name === "" ? outer.name : name
})

const found = (outer: Parts, { name, selector }: Locator.Locator): Parts =>
  added(outer, Locator.chained(selector), name)

/** A selector as `locator()` takes it: CSS, or of an engine by its prefix. */
export const bySelector = (outer: Parts, selector: string): Parts => {
  return partsOf(selector).reduce((before, part) => bySingle(before, part.trim()), outer)
}

/** The parts of a chain. What is in quotation marks is no separator. */
const partsOf = (selector: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let isOpen = false
  for (const part of selector.split(" >> ")) {
    if (isOpen) found.push(`${found.pop()} >> ${part}`)
    else found.push(part)
    if (part.replace(/\\./g, "").split('"').length % 2 === 0) isOpen = !isOpen
  }
  // A quotation mark that is never closed is one of a text.
  return isOpen ? selector.split(" >> ") : found
}

const bySingle = (outer: Parts, selector: string): Parts => {
  const [, engine, rest = ""] = /^([\w:-]+)=([\s\S]*)$/.exec(selector) ?? []
  if (/^(?:\(*\/\/|\.\.|xpath\/)/.test(selector)) return found(outer, Locator.xpath(selector.replace(/^xpath\//, "")))
  if (/^["']/.test(selector)) return found(outer, Locator.text(selector.slice(1, -1), true))
  const [, puppeteer, query = ""] =
    /^(aria|text|pierce)\/([\s\S]*)$/.exec(selector) ?? /^::-p-(aria|text|xpath)\(([\s\S]*)\)$/.exec(selector) ?? []
  if (puppeteer === "xpath") return found(outer, Locator.xpath(query))
  if (puppeteer === "aria") return found(outer, Locator.named(query.replace(/\[role="[^"]*"\]$/, "")))
  if (puppeteer === "text") return found(outer, Locator.text(query))
  if (puppeteer === "pierce") return found(outer, Locator.css(query))
  switch (engine) {
    case "xpath":
      return found(outer, Locator.xpath(rest))
    case "css":
      return found(outer, Locator.css(rest))
    case "text":
      return added(outer, `text=${rest}`, rest.replace(/^["']|["'](?:[is])?$/g, ""))
    case "id":
    case "data-testid":
    case "data-test-id":
    case "data-test":
      return added(outer, `css=[${engine}=${Locator.inQuotes(rest)}]`, rest)
    default:
      return engine === undefined ? found(outer, Locator.css(selector)) : internal(outer, engine, rest)
  }
}

/** The engines of `playwright codegen --target jsonl`. */
const internal = (outer: Parts, engine: string, rest: string): Parts => {
  const [, quoted, isWhole] = /^("(?:[^"\\]|\\.)*")([is])?$/.exec(rest) ?? []
  const text = quoted === undefined ? null : unquoted(quoted)
  switch (engine) {
    case "role":
    case "internal:role":
      return added(
        outer,
        `role=${rest.replace(/\[name="((?:[^"\\]|\\.)*)"([is])\]/, (_, name: string, flag: string) => (flag === "i" ? `[name*="${name}"i]` : `[name="${name}"]`))}`,
        /\[name="((?:[^"\\]|\\.)*)"/.exec(rest)?.[1] ?? rest.replace(/\[.*/, "")
      )
    case "internal:control":
      return rest === "any-frame" ? inAnyFrame(outer) : added(outer, `${engine}=${rest}`)
    case "internal:text":
      return text === null ? added(outer, `text=${rest}`) : byText(outer, text, isWhole === "s")
    case "internal:label":
      return byLabel(outer, text ?? rest, isWhole === "s")
    case "internal:attr":
    case "internal:testid": {
      const [, name = "", value = "", flag] = /^\[([\w-]+)=("(?:[^"\\]|\\.)*")([is])?\]$/.exec(rest) ?? []
      return found(outer, Locator.withAttribute(name, unquoted(value) ?? "", flag !== "i"))
    }
    default:
      return added(outer, `${engine}=${rest}`)
  }
}

const unquoted = (quoted: string): string | null => {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === "string" ? value : null
  } catch {
    return null
  }
}

export const byRole = (
  outer: Parts,
  role: string,
  name: Wanted | null,
  isExact: boolean,
  states: Readonly<Record<string, boolean | number>>
): Parts => {
  const more = Object.entries(states)
    .map(([state, value]) => `[${state === "includeHidden" ? "include-hidden" : state}=${value}]`)
    .join("")
  if (name === null || typeof name === "string") return found(outer, Locator.role(role, name, isExact, more))
  return added(outer, `role=${role}[name=${patterned(name)}]${more}`, name.source)
}

export const byText = (outer: Parts, text: Wanted, isExact: boolean): Parts =>
  typeof text === "string"
    ? found(outer, Locator.text(text, isExact))
    : added(outer, `text=${patterned(text)}`, text.source)

export const byLabel = (outer: Parts, text: Wanted, isExact: boolean): Parts =>
  typeof text === "string"
    ? found(outer, Locator.label(text, isExact))
    : added(outer, `internal:label=${patterned(text)}`, text.source)

export const byAttribute = (outer: Parts, name: string, text: Wanted, isExact: boolean): Parts =>
  typeof text === "string"
    ? found(outer, Locator.withAttribute(name, text, isExact))
    : added(outer, `internal:attr=[${name}=${patterned(text)}]`, text.source)

export const nth = (outer: Parts, index: number): Parts => added(outer, `nth=${index}`)

export const inFrame = (outer: Parts): Parts => added(outer, "internal:control=enter-frame")

/** In whichever frame has the element, as all selectors of workflows find it. */
export const inAnyFrame = (outer: Parts): Parts => outer

/** Those with a text, or without it. */
export const withText = (outer: Parts, text: Wanted, isNot: boolean): Parts =>
  added(
    outer,
    `internal:has${isNot ? "-not" : ""}-text=${typeof text === "string" ? `${Locator.inQuotes(text)}i` : patterned(text)}`,
    isNot ? "" : typeof text === "string" ? text : text.source
  )

/** Those that contain another locator, or do not; and those that both find, or either. */
export const related = (outer: Parts, how: "has" | "has-not" | "and" | "or", other: Parts): Parts =>
  added(
    outer,
    `internal:${how}="${aroundBraces(other.parts.join(" >> "), (part) => JSON.stringify(part).slice(1, -1))}"`
  )

/** The element of a locator; `null` for the page as a whole. */
export const elementOf = ({ name, parts }: Parts): Element | null => {
  const [first, ...others] = parts
  if (first === undefined) return null
  const label = name.length > 80 ? "" : shown(name)
  if (others.length === 0 && first.startsWith("xpath=")) return { selectors: [first.slice(6)], name: label }
  const chain = parts.join(" >> ")
  return { selectors: [/^(css|role|text)=/.test(chain) ? chain : `css=html >> ${chain}`], name: label }
}
