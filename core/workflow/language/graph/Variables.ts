/** Checks that every variable that a node reads is set on the paths to it. */

import { Result } from "effect"
import { nearest } from "../../../window/NearestName.ts"
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
 * A problem is an expression that cannot be parsed, an input that the workflow does not have, or a variable that no
 * earlier node sets. A warning is a variable that is set on some paths but not on all, a path with an unknown root, or,
 * where any input may be read, an input with the name of a loop's variable.
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
      if (name !== "runtime" && name !== "inputs") return [name]
      return field === undefined ? [] : [SetVariables.ofLoop(field)]
    })
  )
  const hint = hints(graph, inputs)
  for (const { at, node, read, source } of found) {
    if (Result.isSuccess(read)) continue
    const message = `Cannot read the expression {{${source.slice(0, 200)}}} of node "${node.name}": ${read.failure}`
    problems.push({ path: at, message })
  }
  for (const { at, node, read, source } of found) {
    if (Result.isFailure(read) || !Expression.isPath(read.success)) continue
    const names = Expression.reads(read.success)[0] ?? []
    const [root] = names
    if (root === undefined || roots.has(root)) continue
    const message = `{{${source.slice(0, 200)}}} of node "${node.name}" has no value: ${hint.ofRoot(names) ?? `expressions begin with ${[...roots].join(", ")}`}`
    warnings.push({ path: at, message })
  }
  for (const { at, node, path } of reads) {
    const [root, name, field] = path
    if (root !== "context" || name === undefined || !variables.isReached(node.id)) continue
    if (name === "runtime") {
      if (field !== undefined && !variables.sometimes(node.id, SetVariables.ofLoop(field))) {
        const message = `Node "${node.name}" reads "context.runtime.${field}", which no loop before it sets${hint.ofLoop(field)}`
        problems.push({ path: at, message })
      }
    } else if (name === "inputs") {
      if (field !== undefined && inputs !== null && !inputs.has(field)) {
        const message = `Node "${node.name}" reads the input "${field}", which is not in input_schema${hint.ofInput(field)}`
        problems.push({ path: at, message })
      } else if (
        field !== undefined &&
        inputs === null &&
        hint.isOfLoop(field) &&
        variables.sometimes(node.id, SetVariables.ofLoop(field))
      ) {
        const message = `Node "${node.name}" reads the input "${field}", and a loop sets a variable of that name: did you mean context.runtime.${field}?`
        warnings.push({ path: at, message })
      }
    } else if (!variables.sometimes(node.id, name) && !isSetBefore(node, name, at)) {
      const message = `Node "${node.name}" reads "context.${name}", which no node before it sets${hint.ofVariable(name, field)}`
      problems.push({ path: at, message })
    } else if (!variables.always(node.id, name) && !isSetBefore(node, name, at)) {
      const message = `"context.${name}" may be missing: not every path to node "${node.name}" sets it`
      warnings.push({ path: at, message })
    }
  }
  return { problems, warnings }
}

/** Suggestions for a name without a value: the same name elsewhere in the context, or a similar name. */
const hints = (graph: Graph, inputs: ReadonlySet<string> | null) => {
  const { ofLoops, variables } = SetVariables.namesIn(graph)
  const meant = (place: string | null): string => (place === null ? "" : `: did you mean ${place}?`)
  /** Where a name exists. `own` is where it was looked up without success. */
  const placeOf = (name: string, own: "loop" | "input" | "variable"): string | null => {
    if (own !== "loop" && ofLoops.has(name)) return `context.runtime.${name}`
    if (own !== "input" && inputs?.has(name) === true) return `context.inputs.${name}`
    if (own !== "variable" && variables.has(name)) return `context.${name}`
    const like = nearest(name, own === "loop" ? ofLoops : own === "input" ? (inputs ?? []) : variables)
    if (like === null || like === name) return null
    return own === "loop" ? `context.runtime.${like}` : own === "input" ? `context.inputs.${like}` : `context.${like}`
  }
  return {
    ofLoop: (name: string) => meant(placeOf(name, "loop")),
    ofInput: (name: string) => meant(placeOf(name, "input")),
    /** `field` is the field that is read of the variable. It may be the intended name, as in `context.loop.row`. */
    ofVariable: (name: string, field: string | undefined) =>
      meant(
        placeOf(name, "variable") ?? (field !== undefined && ofLoops.has(field) ? `context.runtime.${field}` : null)
      ),
    isOfLoop: (name: string) => ofLoops.has(name),
    /** For a path with an unknown root; `null` without a suggestion. */
    ofRoot: ([first = "", ...rest]: ReadonlyArray<string>): string | null => {
      if (first === "inputs" || first === "runtime") return `did you mean context.${[first, ...rest].join(".")}?`
      const place =
        (ofLoops.has(first) && `context.runtime.${first}`) ||
        (inputs?.has(first) === true && `context.inputs.${first}`) ||
        (variables.has(first) && `context.${first}`)
      return place === false ? null : `did you mean ${[place, ...rest].join(".")}?`
    }
  }
}

/** The roots of expressions. `steps` and `response` exist only in API_FLOW. */
const roots: ReadonlySet<string> = new Set(["context", "window", "document", "steps", "response"])

/**
 * Whether the node itself sets a variable before it reads it there: in its expectation, or in a later operation of a
 * TRANSFORM.
 */
const isSetBefore = (node: Node, name: string, at: string): boolean => {
  if (at.includes(".parameters.expect.")) return SetVariables.mayBeSetBy(node, name)
  if (node.action !== "TRANSFORM") return false
  const index = Number(/\.operations\[(\d+)\]\.value$/.exec(at)?.[1] ?? 0)
  return node.parameters.operations
    .slice(0, index)
    .some(({ target, type }) => type !== "DELETE" && namesIn(target)[0] === name)
}
