/** What a recorded step expects from then on, or may be told to expect, by what it did to the page. */
import type { Schema } from "effect"
import { type ElementState, nothing } from "../browser/element/ElementState.ts"
import * as Expect from "../workflow/language/graph/Expect.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import * as Json from "../workspace/Json.ts"

/** Actions that lead to another page on purpose or as a side effect. Opening an address is expected anyway. */
const leads: ReadonlySet<string> = new Set(["CLICK", "INPUT_TEXT", "INPUT_SELECT", "TFA"])

/** Whether a step may lead to another page, and expects nothing yet. */
export const mayLead = (node: Node): boolean => leads.has(node.action) && Expect.of(node) === null

/** A segment of a path that is likely to differ from run to run: one with a digit, or a long one. */
const isOfThisRun = (segment: string): boolean => /\d/.test(segment) || segment.length > 40

/**
 * That the address has the path that a step has led to, up to what likely differs from run to run. `null` where that path
 * says nothing: the address before had it too, or the step expects something already.
 */
export const ofAddress = (node: Node, before: string, after: string): Schema.JsonObject | null => {
  if (!mayLead(node) || URL.parse(after) === null) return null
  const [, ...segments] = new URL(after).pathname.split("/")
  const end = segments.findIndex(isOfThisRun)
  const kept = end < 0 ? segments : [...segments.slice(0, end), ""]
  const contains = `/${kept.join("/")}`
  // An expression in an address would be evaluated.
  if (contains === "/" || before.includes(contains) || contains.includes("{{")) return null
  return { conditions: [{ type: "address", contains }] }
}

/** Where pages say what has come of a step. */
export const sayings: ReadonlyArray<string> = ["//*[@role='status']", "//*[@aria-live='polite']", "//h1", "//h2"]

/** The least length of a text that says something, in characters. */
const shortestSaying = 4

/** Maximum length of an expected text, in characters. */
const longestSaying = 80

/**
 * That the page says what it has said only since a step, up to what likely differs from run to run; `null` where it says
 * nothing new. The states are those of `sayings`.
 */
export const ofText = (
  before: ReadonlyArray<ElementState>,
  after: ReadonlyArray<ElementState>
): Schema.JsonObject | null => {
  for (const [at, selector] of sayings.entries()) {
    const [was, is] = [before[at] ?? nothing, after[at] ?? nothing]
    const text = (is.visible === 0 ? "" : (is.text ?? "")).trim()
    if (text === (was.visible === 0 ? "" : (was.text ?? "").trim())) continue
    const contains = /^[^\d\n{}]*/.exec(text)?.[0].trim().slice(0, longestSaying).trim() ?? ""
    if (contains.length < shortestSaying || (was.text ?? "").includes(contains)) continue
    return { conditions: [{ type: "text", selector, contains }] }
  }
  return null
}

/** What a step has from then on: the row that it waits for, and what it expects. */
export interface Kept {
  readonly selector?: string
  readonly expect: Schema.JsonObject
}

/**
 * That the lists of a data model have a row, and the row that the step waits for before it reads: each list had one when it
 * was recorded. `null` where it read no list, or expects something already.
 */
export const ofRows = (node: Node, found: Schema.JsonObject): Kept | null => {
  if (node.action !== "EXTRACT_DATAMODEL" || Expect.of(node) !== null) return null
  const properties = Json.objectOf(Json.objectOf(node.parameters.extract_data_model as Schema.Json).properties ?? null)
  const rows = Object.entries(properties).flatMap(([name, field]) => {
    const { path, type } = Json.objectOf(field)
    const read = found[name]
    const isRead = type === "array" && Array.isArray(read) && read.length > 0
    return isRead && typeof path === "string" && !path.includes("{{") ? [path] : []
  })
  const [first] = rows
  if (first === undefined) return null
  return {
    ...(node.parameters.selector ? {} : { selector: first }),
    expect: { conditions: rows.map((selector) => ({ type: "element", selector })) }
  }
}
