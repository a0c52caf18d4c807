/** The list that two elements of a kind are in: its rows and columns, inferred from what a person can point at. */
import * as DatePattern from "../../../core/workflow/language/format/DatePattern.ts"
import type { PageTarget } from "./Conversation.ts"

/** What a column is read as. */
export type CellType = "text" | "number" | "date" | "link"

/** A type with how the page writes its values: the decimal sign of numbers, or the pattern of dates. */
export interface CellFormat {
  readonly type: CellType
  /** Empty where it needs none. */
  readonly format: string
}

/** A column, by an element of it that has its row, and the texts of its elements in the viewport. */
export interface ListColumn {
  readonly target: PageTarget
  readonly samples: ReadonlyArray<string>
}

const pathOf = ({ selectors }: PageTarget): string | null =>
  selectors.find(({ selector }) => /^\/[^/]/.test(selector))?.selector ?? null

const indexOf = (step: string): readonly [name: string, index: number] => {
  const [, name = step, index = "1"] = /^(.*?)\[(\d+)\]$/.exec(step) ?? []
  return [name, Number(index)]
}

/** The place of an element in a list: the number of its row, and the path from there; `null` for one outside. */
const placeIn = (target: PageTarget, rows: string): { readonly row: string; readonly path: string } | null => {
  const whole = pathOf(target)
  if (target.row !== null && target.row.selector === rows) {
    const { path } = target.row
    const depth = path === "." ? 0 : path.split("/").length - 1
    return {
      row:
        whole
          ?.split("/")
          .slice(0, -depth || undefined)
          .join("/") ?? "",
      path
    }
  }
  if (whole === null || !whole.startsWith(rows)) return null
  const [, index = "", rest = ""] = /^(\[\d+\])?((?:\/.*)?)$/.exec(whole.slice(rows.length)) ?? []
  if (index === "" && rest === "" && whole !== rows) return null
  return { row: rows + index, path: rest === "" ? "." : rest }
}

/** The path from the row of an element to it; `null` for an element outside of the list. */
export const pathIn = (target: PageTarget, rows: string): string | null => placeIn(target, rows)?.path ?? null

/** The selector of the rows of two elements in one column; `null` where they are not of a kind. */
export const rowsBetween = (one: PageTarget, other: PageTarget): string | null => {
  const [path, another] = [pathOf(one), pathOf(other)]
  if (path === null || another === null || path === another) return null
  if (one.row !== null && one.row.selector === other.row?.selector) {
    return one.row.path === other.row.path ? one.row.selector : null
  }
  const [steps, others] = [path.split("/"), another.split("/")]
  if (steps.length !== others.length) return null
  const apart = steps.flatMap((step, at) => (step === others[at] ? [] : [at]))
  const [at] = apart
  if (at === undefined || apart.length > 1) return null
  const [name] = indexOf(steps[at] ?? "")
  const [like] = indexOf(others[at] ?? "")
  return name === like ? [...steps.slice(0, at), name].join("/") : null
}

/** Elements that hold something to read. Buttons and fields do not. */
const holdsValue = ({ kind, name, role }: PageTarget): boolean =>
  name !== "" && (kind === "read" || (kind === "press" && role === "link"))

/**
 * The columns of the list that two elements of a kind are in, in the order of the page; `null` where they are not of a kind.
 * A column that fewer than half of the rows in the viewport have is left out, unless it was pointed at.
 */
export const columnsBetween = (
  one: PageTarget,
  other: PageTarget,
  elements: ReadonlyArray<PageTarget>
): ReadonlyArray<ListColumn> | null => {
  const rows = rowsBetween(one, other)
  if (rows === null) return null
  const found = new Map<string, Array<PageTarget>>()
  const seen = new Set<string>()
  const pointed = placeIn(one, rows)?.path
  for (const element of elements) {
    const place = placeIn(element, rows)
    if (place === null || !(holdsValue(element) || place.path === pointed)) continue
    seen.add(place.row)
    found.set(place.path, [...(found.get(place.path) ?? []), element])
  }
  const matches = one.row?.selector === rows ? one.row.matches : seen.size
  return [...found].flatMap(([path, [first, ...others]]) => {
    if (first === undefined || (2 * (1 + others.length) < seen.size && path !== pointed)) return []
    const target = { ...first, row: { selector: rows, matches, path } }
    return [{ target, samples: [first, ...others].map(({ name }) => name) }]
  })
}

/** Whether a path ends at a link, whose address can be read. */
export const isLink = (path: string): boolean => /(^|\/)a(\[\d+\])?$/.test(path)

/** Patterns of dates, the more exact first, and days before months where a text allows both. `MMM` reads whole names too. */
const patterns = [
  ...["yyyy-MM-dd", "dd.MM.yyyy", "d.M.yyyy", "dd/MM/yyyy", "MM/dd/yyyy", "d/M/yyyy", "M/d/yyyy", "dd-MM-yyyy"],
  ...["yyyy/MM/dd", "MMM d, yyyy", "d MMM yyyy", "d. MMM yyyy", "dd.MM.yy"]
]

/** The months of a pattern are read in English. */
const language = "en"

/** The digits of a figure with their signs; `null` for a text with anything but its currency beside it. */
const digitsOf = (text: string): string | null => {
  const bare = text.replace(/[\s\p{Sc}%()]/gu, "").replace(/^[A-Z]{3}|[A-Z]{3}$/, "")
  return /^[-−+]?(\d[\d.,']*)$/.exec(bare)?.[1] ?? null
}

/** The decimal sign of a figure; empty where it does not tell. */
const decimalOf = (digits: string): string => {
  const last = /([.,])\d+$/.exec(digits)?.[1] ?? ""
  if (last === "") return ""
  if (digits.includes(last === "." ? "," : ".")) return last
  // One group of three digits may follow either sign.
  return digits.split(last).length > 2 ? (last === "." ? "," : ".") : /[.,]\d{3}$/.test(digits) ? "" : last
}

/** What the values of a column are most likely, by their texts. Ones with leading zeros are no numbers. */
export const formatOf = (samples: ReadonlyArray<string>, path: string): CellFormat => {
  const texts = samples.map((text) => text.trim()).filter((text) => text !== "")
  const isAlike = texts.length > 1 && new Set(texts).size === 1
  if (isLink(path) && isAlike) return { type: "link", format: "" }
  const pattern = patterns.find((one) => texts.every((text) => DatePattern.read(text, one, language) !== null))
  if (texts.length > 0 && pattern !== undefined) return { type: "date", format: pattern }
  const figures = texts.map(digitsOf).filter((digits) => digits !== null && !/^0\d/.test(digits))
  if (texts.length === 0 || figures.length < texts.length) return { type: "text", format: "" }
  const signs = new Set(figures.map((digits) => decimalOf(digits ?? "")).filter((sign) => sign !== ""))
  return { type: "number", format: signs.size === 1 ? [...signs].join("") : "" }
}

/** Why a format cannot be used; `null` for one that can. */
export const wrongFormat = ({ format, type }: CellFormat): string | null =>
  type === "date" ? DatePattern.wrong(format) : null

/** The field of a data model for a value at a path. */
export const fieldOf = ({ format, type }: CellFormat, path: string) => {
  switch (type) {
    case "text":
      return { type: "string", path }
    case "number":
      return { type: "number", path, ...(format === "" ? {} : { format: { decimal: format } }) }
    case "date":
      return { type: "string", path, format: { date: format } }
    case "link":
      return { type: "string", path: `${path === "." ? "" : path}/@href` }
  }
}
