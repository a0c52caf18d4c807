/**
 * The models that workflows may use, and the problems of nodes that name others.
 */
import { Context, type Schema } from "effect"
import * as Json from "../workspace/Json.ts"
import { isModelExecution } from "./language/parameters/Executions.ts"
import type { Problem } from "./Workflow.ts"

export interface Availability {
  /** The names that `llm_model` may have; empty when no model is configured. */
  readonly names: ReadonlyArray<string>
  /** The name of the setting that configures a model, for messages. */
  readonly setting?: string
}

/** The models of this installation. */
export const ModelAvailability: Context.Reference<Availability> = Context.Reference(
  "sluice/core/workflow/ModelAvailability",
  { defaultValue: (): Availability => ({ names: [] }) }
)

/** Actions that ignore `execution`. */
const actionsWithoutExecution = new Set(["INPUT_SELECT", "CAPTCHA"])

/** A problem for each node that names an unavailable model, at its path. Values that cannot be read as a node are skipped. */
export const problems = (
  nodes: Schema.Json,
  { names, setting }: Availability,
  pathOf: (index: number) => string = (index) => `nodes[${index}]`
): ReadonlyArray<Problem> =>
  (Array.isArray(nodes) ? nodes : []).flatMap((node: Schema.Json, index): ReadonlyArray<Problem> => {
    const { action, name, parameters } = Json.objectOf(node)
    const { execution, llm_model, model } = Json.objectOf(parameters)
    if (!isModelExecution(execution) || actionsWithoutExecution.has(String(action))) return []
    const path = `${pathOf(index)}.parameters`
    if (names.length === 0) {
      const remedy = setting === undefined ? "Use STATIC" : `Set ${setting}, or use STATIC`
      const message = `Node "${name}" asks for ${execution}, which needs a model: none is configured. ${remedy}`
      return [{ path: `${path}.execution`, message }]
    }
    return Object.entries({ llm_model, model }).flatMap(([field, wanted]) => {
      if (typeof wanted !== "string" || wanted.trim() === "" || names.includes(wanted)) return []
      const message = `The model "${wanted.slice(0, 100)}" is not served: expected ${names.map((one) => `"${one}"`).join(" or ")}`
      return [{ path: `${path}.${field}`, message }]
    })
  })
