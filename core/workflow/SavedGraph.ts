/**
 * The executable graph of a saved version.
 */
import { Effect } from "effect"
import type { Graph } from "./language/graph/Graph.ts"
import * as NodeExpressions from "./language/graph/NodeExpressions.ts"
import * as Sandbox from "./sandbox/Sandbox.ts"
import type { Content } from "./Workflow.ts"

/** Content is immutable, so its graph is read once and cached as long as the content is referenced. */
const known = new WeakMap<Pick<Content, "nodes" | "edges">, Graph>()

/**
 * Reads a graph. Every version is checked when it is saved, so an invalid graph is a defect. Fails with `TooCostly` on
 * a machine that is slower than the one that checked it.
 */
export const read = Effect.fnUntraced(function* (content: Pick<Content, "nodes" | "edges">) {
  const read = known.get(content)
  if (read !== undefined) return read
  const { edges, nodes } = content
  const found = yield* Sandbox.runHere("readGraph", { nodes, edges })
  if ("failure" in found) {
    return yield* Effect.die(new Error(`The saved graph is not valid: ${JSON.stringify(found.failure)}`))
  }
  const { success } = found
  for (const { node, reads } of success.nodes) NodeExpressions.noteReads(node, reads)
  const graph: Graph = {
    start: success.start,
    nodes: new Map(success.nodes.map(({ node }) => [node.id, node])),
    edges: new Map(success.edges)
  }
  known.set(content, graph)
  return graph
})
