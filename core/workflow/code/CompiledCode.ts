/** The nodes and edges of moves. */
import type { Schema } from "effect"
import { fallsThrough, inside, isNode, type Move, type NodeMove } from "./Move.ts"
import { idOfStep } from "./StableId.ts"

/** A node of a saved workflow. */
export interface CompiledNode {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters: Schema.JsonObject
  readonly [field: string]: Schema.Json
}

export interface CompiledGraph {
  readonly nodes: ReadonlyArray<CompiledNode>
  readonly edges: Readonly<Record<string, Schema.JsonObject>>
}

/** Raised for a workflow in code that no graph can be made of. The message names every step that is meant wrongly. */
export class InvalidCode extends Error {
  override readonly name = "InvalidCode"
}

/** The END that is reached where the moves of a workflow end without one. */
export const defaultEnd = { _tag: "Step", name: "End", action: "END", parameters: {}, node: {} } as const satisfies Move

const actionOf = (move: NodeMove): string =>
  move._tag === "When" ? "BOOL_CONDITION" : move._tag === "Each" ? "LOOP" : move.action

/** Each node move of the moves and of those inside of them, in the order of the text. */
export const nodeMoves = (moves: ReadonlyArray<Move>): ReadonlyArray<NodeMove> =>
  moves.flatMap((move) => (isNode(move) ? [move, ...inside(move).flatMap(nodeMoves)] : []))

/** The ids of moves, and the ids that a `goTo` may mean. */
const identified = (all: ReadonlyArray<NodeMove>) => {
  const counts = new Map<string, number>()
  const ids = new Map<NodeMove, string>()
  const meant = new Map<string, Array<string>>()
  for (const move of all) {
    const count = (counts.get(move.name) ?? 0) + 1
    counts.set(move.name, count)
    const id = move.node.id ?? idOfStep(move.name, count)
    ids.set(move, id)
    for (const word of new Set([move.name, id])) {
      const others = meant.get(word)
      if (others === undefined) meant.set(word, [id])
      else others.push(id)
    }
  }
  return { ids, meant }
}

/**
 * The graph of moves, its nodes in the order of the text. Throws `InvalidCode` for a `goTo` whose step does not exist, or
 * is one of several with that name.
 */
export const compile = (written: ReadonlyArray<Move>): CompiledGraph => {
  const moves: ReadonlyArray<Move> = fallsThrough(written) ? [...written, defaultEnd] : written
  const all = nodeMoves(moves)
  const { ids, meant } = identified(all)
  const problems = new Set<string>()
  const idOf = (move: NodeMove): string => ids.get(move) ?? ""
  const target = (step: string): string => {
    const found = meant.get(step) ?? []
    if (found.length === 0) problems.add(`goTo(${JSON.stringify(step)}): no step has this name or id`)
    if (found.length > 1) {
      problems.add(
        `goTo(${JSON.stringify(step)}): ${found.length} steps have this name; name one by its id: ${found.join(", ")}`
      )
    }
    return found[0] ?? ""
  }
  const edges: Record<string, Schema.JsonObject> = {}
  /** The id of the first node of moves, from a position; `after` where they have none. */
  const entry = (list: ReadonlyArray<Move>, from: number, after: string): string => {
    for (let at = from; at < list.length; at++) {
      const move = list[at]
      if (move === undefined || move._tag === "Assume") continue
      return move._tag === "GoTo" ? target(move.step) : idOf(move)
    }
    return after
  }
  const connect = (list: ReadonlyArray<Move>, after: string): void => {
    for (const [at, move] of list.entries()) {
      if (!isNode(move)) continue
      const next = entry(list, at + 1, after)
      const id = idOf(move)
      if (move._tag === "When") {
        edges[id] = { true: entry(move.yes, 0, next), false: entry(move.no, 0, next) }
        connect(move.yes, next)
        connect(move.no, next)
      } else if (move._tag === "Each") {
        edges[id] = { loop_not_done: entry(move.body, 0, id), loop_done: next }
        connect(move.body, id)
      } else if (move.action !== "END") edges[id] = { to: next }
    }
  }
  connect(moves, "")
  if (problems.size > 0) throw new InvalidCode([...problems].join("\n"))
  return {
    nodes: all.map((move) => {
      const { id: _, ...fields } = Object.fromEntries(
        Object.entries(move.node).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      )
      return { id: idOf(move), name: move.name, action: actionOf(move), parameters: move.parameters, ...fields }
    }),
    edges
  }
}
