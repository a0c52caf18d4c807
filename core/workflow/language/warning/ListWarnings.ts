/** Warnings about lists of which nothing says that they must have rows: an empty one passes for what was read. */
import type { Schema } from "effect"
import type { Problem } from "../../Workflow.ts"
import * as Expect from "../graph/Expect.ts"
import type { Node } from "../graph/Graph.ts"
import { type DataModel, modelOf } from "../parameters/DataModel.ts"

/** The warnings of a node; `path` is that of its parameters, and `output` the schema of what a run brings. */
export const ofNode = (node: Node, path: string, output: Schema.JsonObject): ReadonlyArray<Problem> => {
  if (node.action !== "EXTRACT_DATAMODEL") return []
  const { execution, extract_data_model, selector } = node.parameters
  if ((execution ?? "STATIC") !== "STATIC" || (selector ?? "") !== "" || Expect.of(node)?.conditions.some(isFloor)) {
    return []
  }
  const message = `Node "${node.name}" reads a list, and none of its rows has to be there: name one by selector, which is waited for, or expect at least one`
  return listsIn(extract_data_model, `${path}.extract_data_model`, output).map((at) => ({ path: at, message }))
}

/** Whether an expectation can fail where a list has no rows. */
const isFloor = (condition: Expect.Condition): boolean =>
  condition.type === "element" ? Expect.rangeOf(condition).least > 0 : condition.type === "variable"

/** The lists of a model that are read from the page, and for which the output asks no number of rows. */
const listsIn = (model: DataModel, at: string, output: unknown): ReadonlyArray<string> =>
  Object.entries(model.properties ?? {}).flatMap(([name, field]) => {
    const own = modelOf(field)
    const schema = of(of(output, "properties"), name)
    const place = `${at}.properties.${name}`
    if (own.selected === false) return []
    if (![own.type ?? ""].flat().includes("array")) return listsIn(own, place, schema)
    return own.path && !(Number(of(schema, "minItems")) > 0) ? [place] : []
  })

const of = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
