/**
 * What the texts of a page mean: numbers, truth values and dates, and what is unsure about them.
 */
import type { Schema } from "effect"
import * as DatePattern from "../../workflow/language/format/DatePattern.ts"
import * as Json from "../../workspace/Json.ts"
import type { ExtractionPlan, ShownText } from "./Extraction.ts"
import * as Figure from "./Figure.ts"

/** A value that is unsure, or that was not read for a reason. */
export interface Doubt {
  /** The place in the data, such as `orders.total`. */
  readonly field: string
  readonly kind: "figure" | "value"
  readonly text: string
  /** The value that was read nevertheless; `null` for none. */
  readonly value: Schema.Json
  readonly reason: string
}

type Leaf = Extract<ExtractionPlan, { readonly kind: "value" }>

/** The data of a plan, from what the page has at its places. */
export const settled = (
  plan: ExtractionPlan,
  found: Schema.Json
): { readonly data: Schema.Json; readonly doubts: ReadonlyArray<Doubt> } => {
  const columns = new Map<Leaf, Array<string>>()
  gather(plan, found, columns)
  const page = Figure.shownBy([...columns.values()].flat())
  const shown = new Map([...columns].map(([leaf, texts]) => [leaf, Figure.shownBy(texts)]))
  const doubts: Array<Doubt> = []
  const valueAt = (leaf: Leaf, given: Schema.Json, field: string): Schema.Json => {
    const column = shown.get(leaf) ?? page
    const { kind = "value", reason, value } = valueOf(leaf, given, (lang) => Figure.conventionOf(lang, column, page))
    const text = typeof given === "string" ? given : (textOf(given)?.text ?? String(given))
    if (reason !== null) doubts.push({ field, kind, text, value, reason })
    return value
  }
  return { data: mapped(plan, found, "", valueAt), doubts }
}

const textOf = (given: Schema.Json): ShownText | null =>
  // The page gives an object for nothing else.
  Json.isObject(given) ? (given as unknown as ShownText) : null

/** The texts of figures, by their place in the plan. */
const gather = (plan: ExtractionPlan, found: Schema.Json, columns: Map<Leaf, Array<string>>): void => {
  mapped(plan, found, "", (leaf, given) => {
    const shown = textOf(given)
    if (shown !== null && isFigure(leaf)) {
      const texts = columns.get(leaf) ?? []
      columns.set(leaf, texts)
      texts.push(shown.text)
    }
    return null
  })
}

const isFigure = ({ type }: Leaf): boolean => type === "number" || type === "integer"

/** What was found, with its values replaced. */
const mapped = (
  plan: ExtractionPlan,
  found: Schema.Json,
  field: string,
  value: (leaf: Leaf, given: Schema.Json, field: string) => Schema.Json
): Schema.Json => {
  switch (plan.kind) {
    case "known":
      return found
    case "value":
      return value(plan, found, field)
    case "list":
      return Array.isArray(found) ? found.map((row: Schema.Json) => mapped(plan.item, row, field, value)) : []
    case "object":
      return Object.fromEntries(
        Object.entries(plan.fields).map(([name, inner]) => {
          const own = Json.isObject(found) && Object.hasOwn(found, name) ? (found[name] ?? null) : null
          return [name, mapped(inner, own, field === "" ? name : `${field}.${name}`, value)]
        })
      )
  }
}

/** A value of JSON as a model types it: a text is read as one of a page is. */
export const ofJson = (given: Schema.Json, type: Leaf["type"], format: Leaf["format"]): Settled => {
  const leaf: Leaf = { kind: "value", path: null, type, ...(format === undefined ? {} : { format }) }
  if (type === "string") return valueOf(leaf, given, () => Figure.unknown)
  if (type === "boolean") return typeof given === "boolean" ? sure(given) : truthOf(written(given))
  const isWritten = typeof given === "string" && format === undefined && given.trim() !== ""
  const number = isWritten && Json.keepsDigits(given.trim()) ? Number(given) : given
  if (typeof number === "number") return valueOf(leaf, number, () => Figure.unknown)
  return valueOf(leaf, { text: written(number), lang: "", struck: "none" }, () => Figure.unknown)
}

/** What a value of JSON says as a text; nothing for one that is no single value. */
const written = (given: Schema.Json): string => (typeof given === "object" ? "" : String(given))

export interface Settled {
  readonly value: Schema.Json
  readonly reason: string | null
  readonly kind?: Doubt["kind"]
}

const valueOf = (
  { format, type }: Leaf,
  given: Schema.Json,
  conventionIn: (lang: string) => Figure.Convention
): Settled => {
  if (type === "string") {
    const pattern = format?.date ?? null
    return pattern === null || typeof given !== "string" ? sure(given) : dateOf(given, pattern, format?.locale ?? "en")
  }
  const shown = textOf(given)
  if (type === "boolean") return shown === null ? sure(given) : truthOf(shown.text)
  const reading = shown === null ? bare(given) : figureOf(shown, formatted(format, conventionIn(shown.lang)))
  const { doubt, number } = type === "integer" ? Figure.whole(reading) : reading
  return { value: number, reason: doubt, kind: "figure" }
}

const sure = (value: Schema.Json): Settled => ({ value, reason: null })

const bare = (given: Schema.Json): Figure.Reading => ({
  number: typeof given === "number" && Number.isFinite(given) ? given : null,
  doubt: null
})

const formatted = (format: Leaf["format"], convention: Figure.Convention): Figure.Convention => {
  const { decimal = null, locale = null } = format ?? {}
  if (decimal === null && locale === null) return convention
  const own = locale === null ? { decimal: null, blank: false } : Figure.ofLocale(locale)
  const sign = decimal === null ? own.decimal : decimal === "," ? "," : "."
  return { ...convention, ...own, decimal: sign, strict: true }
}

const figureOf = ({ struck, text }: ShownText, convention: Figure.Convention): Figure.Reading => {
  const reading = Figure.read(text, convention)
  if (reading.doubt !== null || struck === "none") return reading
  if (struck === "all") return reading.number === null ? reading : { ...reading, doubt: "all of it is struck out" }
  return reading.number === null ? { ...reading, doubt: "its figure is struck out" } : reading
}

/** The truth value that a text says; none for an empty text. */
const truthOf = (text: string): Settled => {
  const said = text.trim().toLowerCase()
  if (said === "") return sure(null)
  if (/^(true|yes|1|on|checked)$/.test(said)) return sure(true)
  if (/^(false|no|0|off|unchecked)$/.test(said)) return sure(false)
  return { value: null, reason: "it is neither true, yes, on or 1 nor false, no, off or 0" }
}

const dateOf = (text: string, pattern: string, locale: string): Settled => {
  if (text.trim() === "") return sure(null)
  const date = DatePattern.read(text, pattern, locale)
  return { value: date, reason: date === null ? `it is not one date in the form ${pattern}` : null }
}
