/**
 * Which variables each node reads and sets, and whether a path leads to a node that reads what nothing has set.
 */

import { type Graph, type Node, type NodeId, targets } from "./Graph.ts"
import type { DataModel } from "./parameters/Data.ts"
import * as Template from "./Template.ts"
import type { Problem } from "./Workflow.ts"

/** What the check finds: problems refuse the workflow, warnings do not. */
export interface Findings {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
}

/**
 * Checks every expression of a graph.
 *
 * A problem is an expression that cannot be read, an input that the workflow does not have, and a variable that no node
 * before it sets. A warning is a variable that is set on some of the paths to it, but not on all.
 *
 * `inputs` are the names that may be read under `context.inputs`, or `null` when any may. `pathOf` tells where a node
 * stands in the document.
 */
export const check = (graph: Graph, inputs: ReadonlySet<string> | null, pathOf: (id: NodeId) => string): Findings => {
  const problems: Array<Problem> = []
  const warnings: Array<Problem> = []
  const [always, sometimes] = flow(graph)
  for (const node of graph.nodes.values()) {
    for (const { at, text } of texts(node.parameters, `${pathOf(node.id)}.parameters`)) {
      const { template, unreadable } = Template.parse(text)
      for (const { reason, source } of unreadable) {
        problems.push({
          path: at,
          message: `Cannot read the expression {{${source}}} of node "${node.name}": ${reason}`
        })
      }
      for (const expression of template.parts) {
        if (typeof expression === "string") continue
        for (const [root, name, field] of Template.reads(expression)) {
          if (root !== "context" || name === undefined || name === "runtime") continue
          if (name === "inputs") {
            if (field !== undefined && inputs !== null && !inputs.has(field)) {
              problems.push({
                path: at,
                message: `Node "${node.name}" reads the input "${field}", which is not in input_schema`
              })
            }
          } else if (!sometimes(node.id).has(name)) {
            problems.push({
              path: at,
              message: `Node "${node.name}" reads "context.${name}", which no node before it sets`
            })
          } else if (!always(node.id).has(name)) {
            warnings.push({
              path: at,
              message: `"context.${name}" may be missing: not every path to node "${node.name}" sets it`
            })
          }
        }
      }
    }
  }
  return { problems, warnings }
}

/** Every text of a JSON value with its path. */
export const texts = (value: unknown, path: string): ReadonlyArray<{ readonly at: string; readonly text: string }> => {
  const found: Array<{ readonly at: string; readonly text: string }> = []
  const pending = [{ value, path }]
  for (const { path: at, value: one } of pending) {
    if (typeof one === "string") {
      if (Template.isTemplate(one)) found.push({ at, text: one })
    } else if (Array.isArray(one)) {
      one.forEach((element: unknown, index) => {
        pending.push({ value: element, path: `${at}[${index}]` })
      })
    } else if (typeof one === "object" && one !== null) {
      for (const [key, field] of Object.entries(one)) pending.push({ value: field, path: `${at}.${key}` })
    }
  }
  return found
}

/** The variables that a node sets. */
const setBy = (node: Node): ReadonlyArray<string> => {
  if (node.action === "USER_INTERACTION") return Object.keys(node.parameters.expected_datamodel.properties ?? {})
  return node.action === "EXTRACT_DATAMODEL" ? selectedNames(node.parameters.extract_data_model) : []
}

const selectedNames = (model: DataModel): ReadonlyArray<string> => Object.keys(model.properties ?? {})

type Sets = (id: NodeId) => ReadonlySet<string>

/**
 * The variables set before each node: on every path to it, and on any. Found by passing sets along the edges until none
 * changes any more; sets only shrink, or only grow, so that ends.
 */
const flow = (graph: Graph): readonly [always: Sets, sometimes: Sets] => {
  const always = new Map<NodeId, ReadonlySet<string>>([[graph.start, new Set()]])
  const sometimes = new Map<NodeId, ReadonlySet<string>>([[graph.start, new Set()]])
  const pending = new Set<NodeId>([graph.start])
  for (const id of pending) {
    pending.delete(id)
    const node = graph.nodes.get(id)
    const edge = graph.edges.get(id)
    if (node === undefined || edge === undefined) continue
    const sets = setBy(node)
    const after = [always, sometimes].map((known) => new Set([...(known.get(id) ?? []), ...sets]))
    const [all = new Set<string>(), any = new Set<string>()] = after
    for (const target of targets(edge)) {
      const knownAll = always.get(target)
      const nextAll = knownAll === undefined ? all : new Set([...knownAll].filter((name) => all.has(name)))
      const knownAny = sometimes.get(target)
      const nextAny = new Set([...(knownAny ?? []), ...any])
      if (knownAll?.size === nextAll.size && knownAny?.size === nextAny.size) continue
      always.set(target, nextAll)
      sometimes.set(target, nextAny)
      pending.add(target)
    }
  }
  const empty: ReadonlySet<string> = new Set()
  return [(id) => always.get(id) ?? empty, (id) => sometimes.get(id) ?? empty]
}
