/**
 * Extraction plans, compiled from data models: which path gives which value, of which type.
 */
import type { ValueFormat } from "../../workflow/language/format/ValueFormat.ts"
import { type DataModel, modelOf } from "../../workflow/language/parameters/DataModel.ts"
import * as Selector from "./Selector.ts"

/** A data model whose expressions are evaluated. It is sent to the page, so it is plain data. */
export type ExtractionPlan =
  | {
      readonly kind: "value"
      readonly path: string | null
      readonly type: "string" | "number" | "integer" | "boolean"
      /** Takes the first of several elements. Without it, they must show the same. */
      readonly first?: boolean
      /** How the site writes the value. */
      readonly format?: ValueFormat
      /** Takes the text as the document writes it, with hidden text and the white space of its layout. */
      readonly raw?: boolean
    }
  /** A value that is known without looking at the page. */
  | { readonly kind: "known"; readonly value: unknown }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, ExtractionPlan>> }
  /** `path` selects the rows; the paths of `item` are relative to each row. */
  | { readonly kind: "list"; readonly path: string; readonly item: ExtractionPlan }

/** A text of a page that core makes a number or a truth value of. */
export interface ShownText {
  /** The text as the page shows it, without the parts that are struck out. */
  readonly text: string
  /** The language of that place; empty where the page does not say. */
  readonly lang: string
  /** How much of it is struck out. A text that is struck out as a whole is there nevertheless. */
  readonly struck: "none" | "part" | "all"
}

/** The reason of a failure where a path of one value selects several elements. */
export const severalShow =
  'several elements match that do not show the same: expected a path to one, a position such as [1], or "first": true'

/** The resolution of a text of the model: a known value, or a path to look up in the page. */
export type Resolve = (text: string) => { readonly known: unknown } | { readonly text: string }

/**
 * The plan of a model.
 *
 * Fields with `selected: false` are left out, and so is everything below them. `raw` is that of its values.
 */
export const plan = (model: DataModel, resolve: Resolve, raw = false): ExtractionPlan => {
  const place = typeof model.path !== "string" ? null : resolve(model.path)
  if (place !== null && "known" in place) return { kind: "known", value: place.known }
  const path = place === null ? null : place.text
  const type = typeOf(model)
  if ((model.items ?? null) !== null || type === "array") {
    return { kind: "list", path: path ?? ".", item: plan(modelOf(model.items ?? "string"), resolve, raw) }
  }
  if (typeof model.properties === "object" && model.properties !== null) {
    const fields = Object.entries(model.properties)
      .map(([name, field]) => [name, modelOf(field)] as const)
      .filter(([, field]) => field.selected !== false)
      .map(([name, field]) => [nameOf(resolve(name)), plan(field, resolve, raw)] as const)
    return { kind: "object", fields: Object.fromEntries(fields) }
  }
  const leaf = type === "number" || type === "integer" || type === "boolean" ? type : "string"
  const format = typeof model.format === "object" && model.format !== null ? { format: model.format } : {}
  const isFirst = model.first === true || (path !== null && Selector.isPositioned(path))
  return { kind: "value", path, type: leaf, ...(isFirst ? { first: true } : {}), ...format, ...(raw ? { raw } : {}) }
}

/** Every text of a model that may hold an expression. */
export const texts = (model: DataModel): ReadonlyArray<string> => [
  ...(typeof model.path === "string" ? [model.path] : []),
  ...((model.items ?? null) === null ? [] : texts(modelOf(model.items ?? {}))),
  ...Object.entries(model.properties ?? {})
    .map(([name, field]) => [name, modelOf(field)] as const)
    .filter(([, field]) => field.selected !== false)
    .flatMap(([name, field]) => [name, ...texts(field)])
]

/** The name of every field of a model. */
export const names = (model: DataModel): ReadonlyArray<string> => [
  ...((model.items ?? null) === null ? [] : names(modelOf(model.items ?? {}))),
  ...Object.entries(model.properties ?? {}).flatMap(([name, field]) => [name, ...names(modelOf(field))])
]

/** The type that a value has when there is one. */
export const typeOf = ({ type }: DataModel): string | undefined =>
  typeof type === "object" && type !== null ? type.find((one) => one !== "null") : (type ?? undefined)

/** The name of a field, which may have been an expression. */
export const nameOf = (name: ReturnType<Resolve>): string => ("known" in name ? String(name.known) : name.text)
