/** What a recorded step may be told to expect, by what it did to the page. */
import type { Schema } from "effect"
import * as Expect from "../workflow/language/graph/Expect.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"

/** Actions that lead to another page on purpose or as a side effect. Opening an address is expected anyway. */
const leads: ReadonlySet<string> = new Set(["CLICK", "INPUT_TEXT", "INPUT_SELECT", "TFA"])

/** A segment of a path that is likely to differ from run to run: one with a digit, or a long one. */
const isOfThisRun = (segment: string): boolean => /\d/.test(segment) || segment.length > 40

/**
 * That the address has the path that a step has led to, up to what likely differs from run to run. `null` where that path
 * says nothing: the address before had it too, or the step expects something already.
 */
export const of = (node: Node, before: string, after: string): Schema.JsonObject | null => {
  if (!leads.has(node.action) || Expect.of(node) !== null || URL.parse(after) === null) return null
  const [, ...segments] = new URL(after).pathname.split("/")
  const end = segments.findIndex(isOfThisRun)
  const kept = end < 0 ? segments : [...segments.slice(0, end), ""]
  const contains = `/${kept.join("/")}`
  // An expression in an address would be evaluated.
  if (contains === "/" || before.includes(contains) || contains.includes("{{")) return null
  return { conditions: [{ type: "address", contains }] }
}
