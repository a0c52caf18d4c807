/** The loops of a graph: those of LOOP nodes, and those of a condition with an edge back, such as paging. */
import * as Graph from "./Graph.ts"

/** An edge: from a node, by one of its ways. */
export interface WayFrom {
  readonly after: Graph.NodeId
  readonly way: "to" | "true" | "false" | "loop_not_done" | "loop_done"
}

export interface Loop {
  /** The first node of each turn. */
  readonly head: Graph.NodeId
  readonly nodes: ReadonlySet<Graph.NodeId>
  /** The edge into the body of the loop. */
  readonly entry: WayFrom
}

/** The loop of a LOOP node, or of the condition that ends its turns; `null` for any other node. */
export const of = (graph: Graph.Graph, id: Graph.NodeId): Loop | null => {
  const edge = graph.edges.get(id)
  if (edge?._tag === "Loop") return loopAt(graph, id, backEdges(graph).get(id) ?? [])
  return endedBy(graph, id).find(({ head }) => graph.edges.get(head)?._tag !== "Loop") ?? null
}

/** The loops that one way of a condition leads out of, the innermost first; none for any other node. */
export const endedBy = (graph: Graph.Graph, id: Graph.NodeId): ReadonlyArray<Loop> => {
  const edge = graph.edges.get(id)
  if (edge?._tag !== "Branch") return []
  return [...backEdges(graph)]
    .flatMap(([head, ends]) => loopAt(graph, head, ends) ?? [])
    .filter(({ nodes }) => nodes.has(id) && nodes.has(edge.onTrue) !== nodes.has(edge.onFalse))
    .toSorted((one, other) => one.nodes.size - other.nodes.size)
}

/** A loop with the nodes that lead back to its head without passing it. */
const loopAt = (graph: Graph.Graph, head: Graph.NodeId, ends: ReadonlyArray<Graph.NodeId>): Loop | null => {
  const before = new Map<Graph.NodeId, Array<Graph.NodeId>>()
  for (const [from, edge] of graph.edges) {
    for (const to of Graph.targets(edge)) before.set(to, [...(before.get(to) ?? []), from])
  }
  const nodes = Graph.reach([head, ...ends], (id) => (id === head ? [] : (before.get(id) ?? [])))
  for (const [from, edge] of graph.edges) {
    if (nodes.has(from)) continue
    for (const [way, to] of ways(edge)) if (to === head) return { head, nodes, entry: { after: from, way } }
  }
  return null
}

const ways = (edge: Graph.Edge): ReadonlyArray<readonly [WayFrom["way"], Graph.NodeId]> => {
  switch (edge._tag) {
    case "Next":
      return [["to", edge.to]]
    case "Branch":
      return [
        ["true", edge.onTrue],
        ["false", edge.onFalse]
      ]
    case "Loop":
      return [
        ["loop_not_done", edge.body],
        ["loop_done", edge.done]
      ]
  }
}

/**
 * The sources of back edges, by the node that they lead back to. Every path to a source passes that node. Iterative:
 * graphs may be long.
 */
const backEdges = (graph: Graph.Graph): ReadonlyMap<Graph.NodeId, ReadonlyArray<Graph.NodeId>> => {
  const found = new Map<Graph.NodeId, Array<Graph.NodeId>>()
  const seen = new Set<Graph.NodeId>([graph.start])
  const above = new Set<Graph.NodeId>([graph.start])
  const targetsOf = (id: Graph.NodeId) => {
    const edge = graph.edges.get(id)
    return edge === undefined ? [] : [...Graph.targets(edge)]
  }
  const stack = [{ id: graph.start, left: targetsOf(graph.start) }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const to = top.left.pop()
    if (to === undefined) {
      above.delete(top.id)
      stack.pop()
    } else if (above.has(to)) found.set(to, [...(found.get(to) ?? []), top.id])
    else if (!seen.has(to)) {
      seen.add(to)
      above.add(to)
      stack.push({ id: to, left: targetsOf(to) })
    }
  }
  return found
}
