/**
 * Finds selectors in the parameters of a node that are invalid on every page.
 */
import type { Problem } from "../../Workflow.ts"
import * as LiveSelectors from "../expression/LiveSelectors.ts"
import { type DataModel, paths } from "../parameters/DataModel.ts"
import * as Expect from "./Expect.ts"
import type { Node } from "./Graph.ts"
import * as SelectorSyntax from "./SelectorSyntax.ts"

/** The parameters that are selectors, for every action. */
const names = ["selector", "to_selector", "taken_selector", "xpath", "container_xpath"] as const

export const problems = (node: Node, path: string): ReadonlyArray<Problem> => {
  const { action, parameters } = node
  const fields: Readonly<Record<string, unknown>> = parameters
  const found: Array<Problem> = []
  const check = (at: string, selector: unknown) => {
    const reason = typeof selector === "string" ? SelectorSyntax.check(selector) : null
    if (reason !== null) found.push({ path: at, message: reason })
  }
  if (fields.execution !== "COORDINATES") for (const name of names) check(`${path}.${name}`, fields[name])
  if (action === "EXTRACT_DATAMODEL") {
    // The parameters of this action were decoded.
    const model = fields.extract_data_model as DataModel
    for (const { at, path: one } of paths(model, `${path}.extract_data_model`)) check(at, one)
  }
  if (action === "BOOL_CONDITION") {
    for (const name of ["comparison_value_1", "comparison_value_2"]) {
      const value = fields[name]
      if (typeof value !== "string") continue
      for (const part of LiveSelectors.split(value)) {
        if (typeof part !== "string") check(`${path}.${name}`, part.selector)
      }
    }
  }
  const expect = Expect.of(node)
  if (expect !== null) for (const { at, selector } of Expect.selectors(expect, `${path}.expect`)) check(at, selector)
  return found
}
