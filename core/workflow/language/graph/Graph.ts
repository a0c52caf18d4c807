/** The graph of a workflow: nodes with actions, and the edges between them. */
import type { ActionName, Parameters } from "./Action.ts"

export type NodeId = string

/** A node whose parameters were checked against its action. */
export type Node = {
  readonly [A in ActionName]: {
    readonly id: NodeId
    readonly name: string
    readonly action: A
    readonly parameters: Parameters<A>
  }
}[ActionName]

/** A node of one action. */
export type NodeOf<A extends ActionName> = Extract<Node, { readonly action: A }>

/** The edges of a node. END has none. */
export type Edge =
  | { readonly _tag: "Next"; readonly to: NodeId }
  | { readonly _tag: "Branch"; readonly onTrue: NodeId; readonly onFalse: NodeId }
  | { readonly _tag: "Loop"; readonly body: NodeId; readonly done: NodeId }

/** A graph that was checked: one START, every edge ends at a node, every node can be reached and can reach an END. */
export interface Graph {
  readonly start: NodeId
  readonly nodes: ReadonlyMap<NodeId, Node>
  readonly edges: ReadonlyMap<NodeId, Edge>
}

/** The nodes that an edge leads to. */
export const targets = (edge: Edge): ReadonlyArray<NodeId> => {
  switch (edge._tag) {
    case "Next":
      return [edge.to]
    case "Branch":
      return [edge.onTrue, edge.onFalse]
    case "Loop":
      return [edge.body, edge.done]
  }
}

/** The nodes reached from `from`, itself included, along `next`. Iterative: graphs may be long chains. */
export const reach = (from: Iterable<NodeId>, next: (id: NodeId) => Iterable<NodeId>): ReadonlySet<NodeId> => {
  const found = new Set(from)
  for (const id of found) for (const target of next(id)) found.add(target)
  return found
}
