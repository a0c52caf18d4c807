/** A picture of the graph of a workflow. The outline beside it has the same content in words. */
import { useEffect, useState } from "preact/hooks"
import { branchWords, type Edges, type Node } from "../data/Outline.ts"
import { Section } from "../kit/Page.tsx"
import type { Placed } from "./GraphLayout.ts"

/** A picture of more steps than this is too small to read. */
const mostNodes = 300

export const GraphPicture = ({
  edges,
  marked,
  nodes
}: {
  readonly nodes: ReadonlyArray<Node>
  readonly edges: Edges
  /** The steps with problems. */
  readonly marked: ReadonlySet<string>
}) => {
  const [placed, place] = useState<Placed | null>(null)
  const isDrawn = nodes.length <= mostNodes
  useEffect(() => {
    let isHere = true
    if (isDrawn) {
      void import("./GraphLayout.ts").then(({ layoutOf }) => isHere && place(layoutOf(nodes, edges)))
    }
    return () => {
      isHere = false
    }
  }, [nodes, edges])
  if (!isDrawn) return null
  return (
    <Section title="Picture">
      <div class="scroll graph" role="region" aria-label="Picture of the workflow" tabIndex={0}>
        {placed !== null && <Drawn placed={placed} marked={marked} />}
      </div>
    </Section>
  )
}

const Drawn = ({ marked, placed }: { readonly placed: Placed; readonly marked: ReadonlySet<string> }) => (
  <svg
    width={placed.width}
    height={placed.height}
    viewBox={`0 0 ${placed.width} ${placed.height}`}
    role="img"
    aria-label={`${placed.nodes.length} steps; the outline lists them`}
  >
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0 8 4 0 8z" fill="var(--line-strong)" />
      </marker>
    </defs>
    {placed.edges.map(({ key, kind, points }) => {
      const middle = points[Math.floor(points.length / 2)]
      return (
        <g key={key}>
          <path
            class="graph-edge"
            d={points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("")}
            marker-end="url(#arrow)"
          />
          {kind !== "to" && middle !== undefined && (
            <text class="graph-word" x={middle.x + 4} y={middle.y + 4}>
              {branchWords[kind] ?? kind}
            </text>
          )}
        </g>
      )
    })}
    {placed.nodes.map(({ node, x, y }) => (
      <g key={node.id} transform={`translate(${x - placed.size.width / 2} ${y - placed.size.height / 2})`}>
        <rect class={marked.has(node.id) ? "graph-node marked" : "graph-node"} {...placed.size} rx={6} />
        <text class="graph-name" x={10} y={16}>
          {cut(node.name)}
        </text>
        <text class="graph-action" x={10} y={30}>
          {marked.has(node.id) ? `! ${node.action}` : node.action}
        </text>
      </g>
    ))}
  </svg>
)

const cut = (name: string): string => (name.length > 28 ? `${name.slice(0, 27)}…` : name)
