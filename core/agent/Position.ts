/**
 * The position of a walk in a graph: the next node, and the variables so far.
 */
import type { Schema } from "effect"
import { type Edge, type Graph, type Node, type NodeId, reach, targets } from "../workflow/language/graph/Graph.ts"
import type { Done } from "./Step.ts"
import * as Memory from "./variables/Memory.ts"

/** A loop in progress: its items, and the index of the current iteration, from 0. */
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

/** A loop began its next iteration, or ended. */
export interface LoopTurn {
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

/** The position after the next node, given the output of that node. */
export const after = (graph: Graph, position: Position, done: Done | LoopTurn): Position => {
  const node = nodeOf(graph, position.at)
  const next = { ...position, at: wayOn(edgeOf(graph, position.at), done).to }
  if (done._tag === "Turned" && node.action === "LOOP") {
    const loops = turned(position.loops, node.id, done.loop)
    return { ...next, loops, memory: { ...position.memory, runtime: variablesOf(graph, loops) } }
  }
  if (done._tag === "Answered") return { ...next, memory: Memory.hear(position.memory, done.answer) }
  if (done._tag === "Rewrote") {
    return { ...next, memory: { ...position.memory, data: done.data, answers: done.answers } }
  }
  if (done._tag !== "Found") return next
  return { ...next, memory: Memory.learn(position.memory, done.found, done.overwrite) }
}

/** The names of the branches of an edge in a document. */
export type BranchName = "to" | "true" | "false" | "loop_not_done" | "loop_done"

/** The branch of an edge that is followed after a step. */
export const wayOn = (edge: Edge, done: Done | LoopTurn): { readonly way: BranchName; readonly to: NodeId } => {
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

/**
 * The loops in progress after one began its next iteration. Loops that began within it have ended, also where an edge
 * led out of their bodies.
 */
const turned = (loops: Position["loops"], id: NodeId, loop: Loop | null): Position["loops"] => {
  const all = [...loops]
  const at = all.findIndex(([one]) => one === id)
  const around = at < 0 ? all : all.slice(0, at)
  return new Map(loop === null ? around : [...around, [id, loop]])
}

/** A loop in progress around a node. */
export interface LoopAround {
  readonly node: LoopNode
  readonly loop: Loop
}

/**
 * The loops in progress around the next node, the outermost first. A loop whose body an edge has left is in progress
 * until another loop turns, but no longer around.
 */
export const loopsAround = (graph: Graph, { at, loops }: Position): ReadonlyArray<LoopAround> => {
  const around: Array<LoopAround> = []
  const outer = new Set<NodeId>()
  for (const [id, loop] of loops) {
    const node = nodeOf(graph, id)
    if (id === at || node.action !== "LOOP") break
    // Within a loop, a walk comes back to it before it turns a loop around it.
    const ahead = reach([at], (from) => {
      const edge = graph.edges.get(from)
      return edge === undefined || from === id || outer.has(from) ? [] : targets(edge)
    })
    if (!ahead.has(id)) break
    around.push({ node, loop })
    outer.add(id)
  }
  return around
}

/**
 * The variables of the loops in progress. Where two loops have the same names, the inner one wins until it ends.
 */
const variablesOf = (graph: Graph, loops: Position["loops"]): Schema.JsonObject =>
  Object.fromEntries(
    [...loops].flatMap(([id, { index, items }]): ReadonlyArray<readonly [string, Schema.Json]> => {
      const node = nodeOf(graph, id)
      if (node.action !== "LOOP") return []
      const { variable_current_index, variable_current_item } = node.parameters
      return [
        [variable_current_item, items[index] ?? null],
        [variable_current_index, index]
      ]
    })
  )
