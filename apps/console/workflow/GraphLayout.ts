/**
 * The positions of the steps in the picture of a workflow. The module is loaded with the picture, because its layout
 * engine is large.
 */
import { Graph, layout } from "@dagrejs/dagre"
import type { Edges, Node } from "../data/Outline.ts"

interface Point {
  readonly x: number
  readonly y: number
}

export interface PlacedNode extends Point {
  readonly node: Node
}

export interface PlacedEdge {
  readonly key: string
  readonly kind: string
  readonly points: ReadonlyArray<Point>
}

export interface Placed {
  /** The size of a step. */
  readonly size: { readonly width: number; readonly height: number }
  readonly width: number
  readonly height: number
  readonly nodes: ReadonlyArray<PlacedNode>
  readonly edges: ReadonlyArray<PlacedEdge>
}

/** The size of a step in the picture, in pixels. */
const size = { width: 190, height: 38 }

/** The centres of all steps, and the lines between them, from top to bottom. */
export const layoutOf = (nodes: ReadonlyArray<Node>, edges: Edges): Placed => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 34, marginx: 12, marginy: 12 })
  for (const { id } of nodes) graph.setNode(id, { ...size })
  const known = new Set(nodes.map(({ id }) => id))
  const ways = Object.entries(edges).flatMap(([from, ends]) =>
    Object.entries(ends).flatMap(([kind, to]) => (known.has(from) && known.has(to) ? [{ from, kind, to }] : []))
  )
  for (const { from, kind, to } of ways) graph.setEdge(from, to, {}, kind)
  layout(graph)
  const { height = 0, width = 0 } = graph.graph()
  return {
    size,
    width,
    height,
    nodes: nodes.map((node) => {
      const { x = 0, y = 0 } = graph.node(node.id)
      return { node, x, y }
    }),
    edges: ways.map(({ from, kind, to }) => ({
      key: `${from} ${kind}`,
      kind,
      points: graph.edge(from, to, kind).points ?? []
    }))
  }
}
