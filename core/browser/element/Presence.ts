/**
 * How much of what an extraction plan wants was found. Rows without any text stand where a page has not put its data yet.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { ExtractionPlan } from "./Extraction.ts"

/** A list of a plan that is not within the rows of another one. */
export interface FoundList {
  /** The names that lead to it; empty for the plan itself. */
  readonly at: ReadonlyArray<string>
  readonly path: string
  readonly rows: ReadonlyArray<Schema.Json>
  /** Whether it has rows, and none of them has a value. */
  readonly isShell: boolean
}

/** The lists of a plan, with what was found of them. */
export const lists = (
  plan: ExtractionPlan,
  found: Schema.Json | undefined,
  at: ReadonlyArray<string> = []
): ReadonlyArray<FoundList> => {
  if (plan.kind === "object") {
    return Object.entries(plan.fields).flatMap(([name, field]) => lists(field, fieldOf(found, name), [...at, name]))
  }
  if (plan.kind !== "list") return []
  const rows = Array.isArray(found) ? found : []
  const isShell = rows.length > 0 && isRead(plan.item) && rows.every((row) => isBlank(plan.item, row))
  return [{ at, path: plan.path, rows, isShell }]
}

/**
 * `all`; `none`, where a list is empty, or a plan without lists found no value; `shell`, where rows of a list are there and
 * none has a value.
 */
export const of = (plan: ExtractionPlan, found: Schema.Json): "all" | "none" | "shell" => {
  const all = lists(plan, found)
  if (all.some(({ isShell }) => isShell)) return "shell"
  if (all.length > 0) return all.some(({ rows }) => rows.length === 0) ? "none" : "all"
  return isRead(plan) && isBlank(plan, found) ? "none" : "all"
}

/** The same with lists that have no value in any row as empty lists. */
export const withoutShells = (plan: ExtractionPlan, found: Schema.Json): Schema.Json => {
  if (plan.kind === "list") return lists(plan, found).some(({ isShell }) => isShell) ? [] : found
  if (plan.kind !== "object" || !Json.isObject(found)) return found
  const fields = Object.entries(plan.fields)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutShells(field, fieldOf(found, name) ?? null)]))
}

const fieldOf = (found: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  Json.isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined

/** Whether anything of a plan is read from the page. */
const isRead = (plan: ExtractionPlan): boolean =>
  plan.kind === "object" ? Object.values(plan.fields).some(isRead) : plan.kind !== "known"

const isBlank = (plan: ExtractionPlan, found: Schema.Json | undefined): boolean => {
  switch (plan.kind) {
    case "known":
      return true
    case "object":
      return Object.entries(plan.fields).every(([name, field]) => isBlank(field, fieldOf(found, name)))
    case "list":
      return Array.isArray(found) && found.every((row) => isBlank(plan.item, row))
    case "value":
      // What becomes a number is found as a text with its language.
      return (found ?? "") === "" || (Json.isObject(found) && found.text === "")
  }
}
