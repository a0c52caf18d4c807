/**
 * Where a walk of a graph stands: which node comes next, and what is known by then.
 */
import type { Schema } from "effect"
import type { Edge, Graph, Node, NodeId } from "../workflow/Graph.ts"
import * as Memory from "./Memory.ts"
import type { Done } from "./Step.ts"

/** A loop under way: what it goes over, and the turn that it is in, counted from 0. */
export interface Loop {
  readonly items: ReadonlyArray<Schema.Json>
  readonly index: number
}

export interface Position {
  /** The node that comes next. */
  readonly at: NodeId
  readonly memory: Memory.Memory
  readonly loops: ReadonlyMap<NodeId, Loop>
}

/** A loop went on to its next turn, or ended. */
export interface Turned {
  readonly _tag: "Turned"
  readonly loop: Loop | null
}

export type LoopNode = Extract<Node, { action: "LOOP" }>

/** The position before START. */
export const before = (graph: Graph, memory: Memory.Memory): Position => ({
  at: graph.start,
  memory,
  loops: new Map()
})

/** The position after the next node was done, with what it did. */
export const after = (graph: Graph, position: Position, done: Done | Turned): Position => {
  const node = nodeOf(graph, position.at)
  const next = { ...position, at: wayOn(edgeOf(graph, position.at), done).to }
  if (done._tag === "Turned" && node.action === "LOOP") {
    const loops = new Map(position.loops)
    if (done.loop === null) loops.delete(node.id)
    else loops.set(node.id, done.loop)
    const runtime = loopVariables(node, done.loop, position.memory.runtime)
    return { ...next, loops, memory: { ...position.memory, runtime } }
  }
  if (done._tag === "Answered") return { ...next, memory: Memory.hear(position.memory, done.answer) }
  if (done._tag === "Rewrote") {
    return { ...next, memory: { ...position.memory, data: done.data, answers: done.answers } }
  }
  if (done._tag !== "Found") return next
  return { ...next, memory: Memory.learn(position.memory, done.found, done.overwrite) }
}

/** The names that an edge's ways on have in a document. */
export type Way = "to" | "true" | "false" | "loop_not_done" | "loop_done"

/** Which way an edge leads on after a step. */
export const wayOn = (edge: Edge, done: Done | Turned): { readonly way: Way; readonly to: NodeId } => {
  switch (edge._tag) {
    case "Next":
      return { way: "to", to: edge.to }
    case "Branch":
      return done._tag === "Decided" && done.holds
        ? { way: "true", to: edge.onTrue }
        : { way: "false", to: edge.onFalse }
    case "Loop":
      return done._tag === "Turned" && done.loop !== null
        ? { way: "loop_not_done", to: edge.body }
        : { way: "loop_done", to: edge.done }
  }
}

export const nodeOf = (graph: Graph, id: NodeId): Node => {
  const node = graph.nodes.get(id)
  if (node === undefined) throw new Error(`The graph was not checked: no node ${id}`)
  return node
}

export const edgeOf = (graph: Graph, id: NodeId): Edge => {
  const edge = graph.edges.get(id)
  if (edge === undefined) throw new Error(`The graph was not checked: node ${id} leads nowhere`)
  return edge
}

const loopVariables = (node: LoopNode, loop: Loop | null, runtime: Schema.JsonObject): Schema.JsonObject => {
  const { variable_current_index: index, variable_current_item: item } = node.parameters
  if (loop !== null) return { ...runtime, [item]: loop.items[loop.index] ?? null, [index]: loop.index }
  return Object.fromEntries(Object.entries(runtime).filter(([name]) => name !== item && name !== index))
}
