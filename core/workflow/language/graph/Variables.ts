/**
 * Which variables each node reads and sets, and whether a path leads to a node that reads what nothing has set.
 */

import { Result } from "effect"
import type { Problem } from "../../Workflow.ts"
import * as Expression from "../expression/Expression.ts"
import { namesIn } from "../parameters/TransformParameters.ts"
import type { Graph, Node, NodeId } from "./Graph.ts"
import * as NodeExpressions from "./NodeExpressions.ts"
import * as SetVariables from "./SetVariables.ts"

/** The findings of the check: problems refuse the workflow, warnings do not. */
export interface Findings {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
}

/**
 * Checks every expression of a graph.
 *
 * A problem is an expression that cannot be read, an input that the workflow does not have, and a variable that no node
 * before it sets. A warning is a variable that is set on some of the paths to it, but not on all, and a path that begins
 * with a name that expressions do not know.
 *
 * `inputs` are the names that may be read under `context.inputs`, or `null` when any may. `pathOf` returns the path of
 * a node in the document.
 */
export const check = (graph: Graph, inputs: ReadonlySet<string> | null, pathOf: (id: NodeId) => string): Findings => {
  const problems: Array<Problem> = []
  const warnings: Array<Problem> = []
  const found = [...graph.nodes.values()].flatMap((node) =>
    NodeExpressions.of(node, `${pathOf(node.id)}.parameters`).map((placed) => ({ ...placed, node }))
  )
  const reads = found.flatMap(({ at, node, read }) =>
    Result.isFailure(read) ? [] : Expression.reads(read.success).map((path) => ({ at, node, path }))
  )
  const variables = SetVariables.follow(
    graph,
    reads.flatMap(({ path: [root, name, field] }) => {
      if (root !== "context" || name === undefined) return []
      if (name !== "runtime") return [name]
      return field === undefined ? [] : [SetVariables.ofLoop(field)]
    })
  )
  for (const { at, node, read, source } of found) {
    if (Result.isSuccess(read)) continue
    const message = `Cannot read the expression {{${source.slice(0, 200)}}} of node "${node.name}": ${read.failure}`
    problems.push({ path: at, message })
  }
  for (const { at, node, read, source } of found) {
    if (Result.isFailure(read) || !Expression.isPath(read.success)) continue
    const [root] = Expression.reads(read.success)[0] ?? []
    if (root === undefined || roots.has(root)) continue
    const message = `{{${source.slice(0, 200)}}} of node "${node.name}" is nothing: expressions begin with ${[...roots].join(", ")}`
    warnings.push({ path: at, message })
  }
  for (const { at, node, path } of reads) {
    const [root, name, field] = path
    if (root !== "context" || name === undefined || !variables.isReached(node.id)) continue
    if (name === "runtime") {
      if (field !== undefined && !variables.sometimes(node.id, SetVariables.ofLoop(field))) {
        const message = `Node "${node.name}" reads "context.runtime.${field}", which no loop before it sets`
        problems.push({ path: at, message })
      }
    } else if (name === "inputs") {
      if (field !== undefined && inputs !== null && !inputs.has(field)) {
        const message = `Node "${node.name}" reads the input "${field}", which is not in input_schema`
        problems.push({ path: at, message })
      }
    } else if (!variables.sometimes(node.id, name) && !isSetBefore(node, name, at)) {
      problems.push({ path: at, message: `Node "${node.name}" reads "context.${name}", which no node before it sets` })
    } else if (!variables.always(node.id, name) && !isSetBefore(node, name, at)) {
      const message = `"context.${name}" may be missing: not every path to node "${node.name}" sets it`
      warnings.push({ path: at, message })
    }
  }
  return { problems, warnings }
}

/** The roots of expressions: `steps` and `response` in API_FLOW alone. */
const roots: ReadonlySet<string> = new Set(["context", "window", "document", "steps", "response"])

/** Whether an operation of a TRANSFORM reads what one before it sets. */
const isSetBefore = (node: Node, name: string, at: string): boolean => {
  if (node.action !== "TRANSFORM") return false
  const index = Number(/\.operations\[(\d+)\]\.value$/.exec(at)?.[1] ?? 0)
  return node.parameters.operations
    .slice(0, index)
    .some(({ target, type }) => type !== "DELETE" && namesIn(target)[0] === name)
}
