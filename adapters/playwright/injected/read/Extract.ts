/**
 * Reads values out of a document, as a plan describes them.
 */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import { squeeze } from "../dom/Text.ts"
import { isVisible } from "../dom/Visible.ts"
import { oncePerVisit } from "../dom/Visit.ts"
import { hasShadow } from "../find/Nodes.ts"
import { evaluate, type Item } from "../find/XPath.ts"
import { type Counted, cellIn, type Grid, gridOf } from "./Grid.ts"
import { shownIn } from "./Shown.ts"

/** A query: a CSS selector, or an XPath. */
type Plain = { readonly css: string } | { readonly query: Query }

/** A path; in a row, one that counts cells also says how it goes on from the cell: `null` for the cell itself. */
export type Path = Plain & { readonly cell?: Counted & { readonly rest: Plain | null } }

/** An extraction plan whose paths are ready for the page; those of `item` are relative to their row. */
export type Part =
  | { readonly kind: "known"; readonly value: unknown }
  | {
      readonly kind: "value"
      readonly path: Path | null
      readonly type: "string" | "number" | "integer" | "boolean"
      readonly raw?: boolean
      readonly first?: boolean
      /** The path as it was written. */
      readonly written: string
    }
  | { readonly kind: "object"; readonly fields: ReadonlyArray<readonly [string, Part]> }
  | { readonly kind: "list"; readonly path: Path; readonly item: Part }
  /** The different texts of all that a path selects. */
  | { readonly kind: "texts"; readonly path: Path }

/** A path of one value that selects elements with different texts. */
export interface Clash {
  readonly path: string
  readonly matched: number
  readonly texts: readonly [string, string]
}

/** What a part found: whether its path selected anything, its value, and the first clash within it. */
export interface Extracted {
  readonly found: boolean
  readonly value: unknown
  readonly clash: Clash | null
}

let clash: Clash | null = null

/**
 * Carries out parts of a plan on the document, in one go. Paths without a match in the document alone are searched in its
 * shadow roots.
 */
export const extract = (parts: ReadonlyArray<Part>): ReadonlyArray<Extracted> =>
  parts.map((part) => {
    clash = null
    return { ...extracted(part), clash }
  })

const extracted = (part: Part): Omit<Extracted, "clash"> => {
  if (part.kind === "known" || part.kind === "object") return { found: true, value: inRow(part, document, false) }
  if (part.path === null) return { found: true, value: null }
  const first = part.kind === "value" && part.first === true
  const own = items(part.path, document, false, first)
  const whole = own.length === 0 && shadows()
  const found = whole ? items(part.path, document, true, first) : own
  const value =
    part.kind === "value"
      ? soleOf(found, part)
      : part.kind === "texts"
        ? differentTexts(found)
        : inRows(part.item, found, whole)
  return { found: found.length > 0, value }
}

const shadows = oncePerVisit(hasShadow)

/** The nodes that a path selects in a scope, and with `whole` in the shadow roots of that. */
export const items = (path: Path, scope: Item, whole: boolean, first: boolean): ReadonlyArray<Item> => {
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

/** The values of a part in rows. */
const inRows = (part: Part, rows: ReadonlyArray<Item>, whole: boolean): ReadonlyArray<unknown> => {
  const grid = gridOf(rows)
  return rows.map((row) => inRow(part, row, whole, grid))
}

const noGrid: Grid = new Map()

/** What a path selects in a row: where it counts cells, in the column that a person sees. */
const inColumn = (path: Path, row: Item, whole: boolean, first: boolean, grid: Grid): ReadonlyArray<Item> => {
  const { cell: counted } = path
  if (counted === undefined || !grid.has(row)) return items(path, row, whole, first)
  const cell = cellIn(grid, row, counted)
  if (cell === undefined) return []
  return counted.rest === null ? [cell] : items(counted.rest, cell, whole, first)
}

/** The value of a part within a row. */
const inRow = (part: Part, row: Item, whole: boolean, grid: Grid = noGrid): unknown => {
  switch (part.kind) {
    case "known":
      return part.value
    case "object":
      return Object.fromEntries(part.fields.map(([name, field]) => [name, inRow(field, row, whole, grid)]))
    case "list":
      return inRows(part.item, inColumn(part.path, row, whole, false, grid), whole)
    case "texts":
      return differentTexts(inColumn(part.path, row, whole, false, grid))
    case "value":
      return part.path === null
        ? valueOf(row, part)
        : soleOf(inColumn(part.path, row, whole, part.first === true, grid), part)
  }
}

type Value = Extract<Part, { readonly kind: "value" }>

/** How many elements are compared with the first. */
const mostCompared = 100

/**
 * The different texts of items, that of the first one first. Of the others only those that are to be seen count where the
 * first one is.
 */
export const differentTexts = (found: ReadonlyArray<Item>, raw = false): ReadonlyArray<string> => {
  const [first] = found
  if (first === undefined) return []
  const owner = ownerOf(first)
  const isSeen = owner !== null && isVisible(owner)
  const texts = [textOf(first, raw)]
  for (const item of found.slice(1, mostCompared)) {
    const around = ownerOf(item)
    if (around === owner) continue
    const text = textOf(item, raw)
    if (!texts.includes(text) && (!isSeen || (around !== null && isVisible(around)))) texts.push(text)
  }
  return texts
}

/** The value of the first item. Others must show the same. */
const soleOf = (found: ReadonlyArray<Item>, part: Value): unknown => {
  if (found.length > 1 && part.first !== true && clash === null) {
    const [text = "", other] = differentTexts(found, part.raw)
    const shown = (one: string) => one.slice(0, 5_000)
    if (other !== undefined) clash = { path: part.written, matched: found.length, texts: [shown(text), shown(other)] }
  }
  return valueOf(found[0], part)
}

/** The element that an item is of. */
const ownerOf = (item: Item): Element | null => {
  if (item instanceof Element) return item
  if (item instanceof Attr) return item.ownerElement
  return item instanceof Node ? item.parentElement : null
}

const valueOf = (item: Item | undefined, { raw, type }: Pick<Value, "raw" | "type">): unknown => {
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

/** What is read of a field that hides what it holds, and holds something. */
const hidden = "[secret]"

/** A value of a field; of anything else the text that the page shows, or the text of the document where it is raw. */
export const textOf = (item: Item, raw = false): string => {
  if (!(item instanceof Node)) return String(item)
  if (item instanceof HTMLInputElement && item.type === "password" && item.value !== "") return hidden
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
