/** Which inputs of a run the expressions of a node read. */
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as NodeExpressions from "../../workflow/language/graph/NodeExpressions.ts"

/** The names of the inputs, each once; an empty name where an expression reads all of them. */
export const of = (node: Node): ReadonlyArray<string> => {
  const paths = NodeExpressions.reads(node)
  return [
    ...new Set(paths.flatMap(([root, name, input]) => (root === "context" && name === "inputs" ? [input ?? ""] : [])))
  ]
}
