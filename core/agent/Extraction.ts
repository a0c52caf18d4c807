/**
 * Data models made ready to be carried out in a page: which path gives which value, of which type.
 */
import type { DataModel } from "../workflow/parameters/Data.ts"

/** A data model whose expressions are evaluated. It is sent to the page, so it is plain data. */
export type ExtractionPlan =
  | { readonly kind: "value"; readonly path: string | null; readonly type: "string" | "number" | "boolean" }
  /** A value that is known without looking at the page. */
  | { readonly kind: "known"; readonly value: unknown }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, ExtractionPlan>> }
  /** `path` selects the rows; the paths of `item` are relative to each row. */
  | { readonly kind: "list"; readonly path: string; readonly item: ExtractionPlan }

/** What became of a text of the model: a value that is known already, or a text that still says where to look. */
export type Resolve = (text: string) => { readonly known: unknown } | { readonly text: string }

/**
 * The plan of a model.
 *
 * Fields with `selected: false` are left out, and so is everything below them.
 */
export const plan = (model: DataModel, resolve: Resolve): ExtractionPlan => {
  const place = model.path === undefined ? null : resolve(model.path)
  if (place !== null && "known" in place) return { kind: "known", value: place.known }
  const path = place === null ? null : place.text
  const type = typeof model.type === "object" ? model.type.find((one) => one !== "null") : model.type
  if (model.items !== undefined || type === "array") {
    return { kind: "list", path: path ?? ".", item: plan(model.items ?? { type: "string" }, resolve) }
  }
  if (model.properties !== undefined) {
    const fields = Object.entries(model.properties)
      .filter(([, field]) => field.selected !== false)
      .map(([name, field]) => [nameOf(resolve(name)), plan(field, resolve)] as const)
    return { kind: "object", fields: Object.fromEntries(fields) }
  }
  const leaf = type === "number" || type === "integer" ? "number" : type === "boolean" ? "boolean" : "string"
  return { kind: "value", path, type: leaf }
}

/** Every text of a model that may hold an expression. */
export const texts = (model: DataModel): ReadonlyArray<string> => [
  ...(model.path === undefined ? [] : [model.path]),
  ...(model.items === undefined ? [] : texts(model.items)),
  ...Object.entries(model.properties ?? {}).flatMap(([name, field]) => [name, ...texts(field)])
]

const nameOf = (name: ReturnType<Resolve>): string => ("known" in name ? String(name.known) : name.text)
