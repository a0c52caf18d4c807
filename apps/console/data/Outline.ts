/** A workflow as a list: branches are indented, and each node stands once. */

export interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: unknown
}

export type Edges = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface OutlineLine {
  readonly node: Node
  readonly depth: number
  /** The branch that leads to the line, such as `if so` or `otherwise`; `null` without one. */
  readonly branch: string | null
  /** The node elsewhere in the outline that comes next. When it is `node` itself, the line only refers to it. */
  readonly goesTo: string | null
}

/** The edges from a step, in words. */
export const branchWords: Readonly<Record<string, string>> = {
  true: "if so",
  false: "otherwise",
  loop_not_done: "each time",
  loop_done: "after that"
}

const placeOf = (kind: string): number => Object.keys(branchWords).indexOf(kind)

/** The graph as a list: branches are indented, and a node stands where it is first reached. */
export const outlineOf = (nodes: ReadonlyArray<Node>, edges: Edges): ReadonlyArray<OutlineLine> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const seen = new Set<string>()
  const lines: Array<OutlineLine> = []
  const pending: Array<{ readonly id: string; readonly depth: number; readonly branch: string | null }> = []
  const start = nodes.find(({ action }) => action === "START") ?? nodes[0]
  if (start !== undefined) pending.push({ id: start.id, depth: 0, branch: null })
  while (pending.length > 0) {
    const next = pending.pop()
    const node = next === undefined ? undefined : byId.get(next.id)
    if (next === undefined || node === undefined) continue
    if (seen.has(node.id)) {
      const last = lines.at(-1)
      if (next.branch !== null) lines.push({ node, depth: next.depth, branch: next.branch, goesTo: node.name })
      else if (last !== undefined && last.goesTo === null) lines[lines.length - 1] = { ...last, goesTo: node.name }
      continue
    }
    seen.add(node.id)
    lines.push({ node, depth: next.depth, branch: next.branch, goesTo: null })
    const out = edges[node.id] ?? {}
    // The last pushed comes first: the branches, then the step after them. Stores may give edges in another order.
    for (const [kind, id] of Object.entries(out).toSorted(([one], [other]) => placeOf(other) - placeOf(one))) {
      const isStraight = kind === "to"
      const depth = isStraight || kind === "loop_done" ? next.depth : next.depth + 1
      pending.push({ id, depth, branch: isStraight ? null : (branchWords[kind] ?? kind) })
    }
  }
  const rest = nodes.filter(({ id }) => !seen.has(id))
  return [...lines, ...rest.map((node) => ({ node, depth: 0, branch: "never reached", goesTo: null }))]
}
