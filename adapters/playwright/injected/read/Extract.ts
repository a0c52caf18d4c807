/**
 * Reads values out of a document, as a plan describes them.
 */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import { squeeze } from "../dom/Text.ts"
import { oncePerVisit } from "../dom/Visit.ts"
import { hasShadow } from "../find/Nodes.ts"
import { evaluate, type Item } from "../find/XPath.ts"
import { shownIn } from "./Shown.ts"

/** A query: a CSS selector, or an XPath. */
export type Path = { readonly css: string } | { readonly query: Query }

/** An extraction plan whose paths are ready for the page; those of `item` are relative to their row. */
export type Part =
  | { readonly kind: "known"; readonly value: unknown }
  | {
      readonly kind: "value"
      readonly path: Path | null
      readonly type: "string" | "number" | "integer" | "boolean"
      readonly raw?: boolean
    }
  | { readonly kind: "object"; readonly fields: ReadonlyArray<readonly [string, Part]> }
  | { readonly kind: "list"; readonly path: Path; readonly item: Part }

/**
 * Carries out parts of a plan on the document, in one go; for each, whether its path selected anything. Paths without a
 * match in the document alone are searched in its shadow roots.
 */
export const extract = (
  parts: ReadonlyArray<Part>
): ReadonlyArray<{ readonly found: boolean; readonly value: unknown }> =>
  parts.map((part) => {
    if (part.kind !== "list" && part.kind !== "value") return { found: true, value: inRow(part, document, false) }
    if (part.path === null) return { found: true, value: null }
    const first = part.kind === "value"
    const own = items(part.path, document, false, first)
    const whole = own.length === 0 && shadows()
    const found = whole ? items(part.path, document, true, first) : own
    const value = part.kind === "value" ? valueOf(found[0], part) : found.map((row) => inRow(part.item, row, whole))
    return { found: found.length > 0, value }
  })

const shadows = oncePerVisit(hasShadow)

/** The nodes that a path selects in a scope, and with `whole` in the shadow roots of that. */
const items = (path: Path, scope: Item, whole: boolean, first: boolean): ReadonlyArray<Item> => {
  if (!(scope instanceof Node)) return []
  if ("query" in path) return evaluate(path.query, scope, whole, first)
  if (!isParent(scope)) return []
  const own = [...scope.querySelectorAll(path.css)]
  return whole && own.length === 0 ? inShadows(scope, path.css) : own
}

const isParent = (node: Node): node is Node & ParentNode => "querySelectorAll" in node

const inShadows = (root: ParentNode, css: string): ReadonlyArray<Element> =>
  [...root.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
    shadowRoot === null ? [] : [...shadowRoot.querySelectorAll(css), ...inShadows(shadowRoot, css)]
  )

/** The value of a part within a row. */
const inRow = (part: Part, row: Item, whole: boolean): unknown => {
  switch (part.kind) {
    case "known":
      return part.value
    case "object":
      return Object.fromEntries(part.fields.map(([name, field]) => [name, inRow(field, row, whole)]))
    case "list":
      return items(part.path, row, whole, false).map((item) => inRow(part.item, item, whole))
    case "value":
      return valueOf(part.path === null ? row : items(part.path, row, whole, true)[0], part)
  }
}

type Value = Pick<Extract<Part, { readonly kind: "value" }>, "type" | "raw">

const valueOf = (item: Item | undefined, { raw, type }: Value): unknown => {
  if (item === undefined) return null
  const text = textOf(item, raw)
  if (type === "string") return text
  if (type === "boolean") return truthOf(item) ?? { text, lang: "", struck: "none" }
  return numberOf(item) ?? shownIn(item, text)
}

/** The number of what is one to the page. */
const numberOf = (item: Item): number | null => {
  if (typeof item === "number") return Number.isFinite(item) ? item : null
  const isNumeric = item instanceof HTMLInputElement && /^(number|range)$/.test(item.type)
  return isNumeric && item.value !== "" ? item.valueAsNumber : null
}

const truthOf = (item: Item): boolean | null => {
  if (typeof item === "boolean") return item
  return item instanceof HTMLInputElement && /^(checkbox|radio)$/.test(item.type) ? item.checked : null
}

/** A value of a field; of anything else the text that the page shows, or the text of the document where it is raw. */
export const textOf = (item: Item, raw = false): string => {
  if (!(item instanceof Node)) return String(item)
  if (item instanceof HTMLInputElement || item instanceof HTMLTextAreaElement || item instanceof HTMLSelectElement) {
    return item.value
  }
  if (raw || item instanceof Attr) return (item.nodeValue ?? item.textContent ?? "").trim()
  return shownText(item)
}

/** The text of a node as the page shows it. Of an element that is not shown at all, the text of the document. */
const shownText = (node: Node): string => {
  if (node instanceof HTMLElement) return node.innerText.trim()
  const around = node instanceof Element ? node : node.parentElement
  const text = node.nodeValue ?? node.textContent ?? ""
  const keeps = around !== null && /^(pre|break-spaces)/.test(getComputedStyle(around).whiteSpace)
  return keeps || around?.checkVisibility() !== true ? text.trim() : squeeze(text)
}
