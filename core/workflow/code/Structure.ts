/**
 * The moves of a graph: its steps in an order in which most lead to the next one, branches and loops with what is inside
 * of them, and `GoTo` for every other edge.
 *
 * A node that one path leads to stands where that path is. A node that several paths lead to stands behind the last node
 * that all of them pass, its immediate dominator.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { type CompiledGraph, type CompiledNode, compile } from "./CompiledCode.ts"
import { fallsThrough, type Move } from "./Move.ts"
import { idOfStep } from "./StableId.ts"

/** More branches inside of each other than people write. */
const maxDepth = 100

type Fields = Readonly<Record<string, Schema.Json>>

interface Place {
  readonly node: CompiledNode
  readonly next: ReadonlyArray<number>
}

/** The moves whose graph is this one, but for the order of its nodes; `null` where there are none. */
export const movesOf = (nodes: Schema.Json, edges: Schema.Json): ReadonlyArray<Move> | null => {
  const places = ordered(nodes, edges)
  if (places === null) return null
  const moves = structured(places)
  return moves !== null && isSame(compile(moves), nodes, edges) ? moves : null
}

/** Whether a graph is another one, but for the order of the nodes, and for parameters that END may leave out. */
export const isSame = (graph: CompiledGraph, nodes: Schema.Json, edges: Schema.Json): boolean =>
  normal(graph.nodes as Schema.Json, graph.edges as Schema.Json) === normal(nodes, edges)

const normal = (nodes: Schema.Json, edges: Schema.Json): string => {
  const filled = (Array.isArray(nodes) ? nodes : []).map((node: Schema.Json) => ({
    parameters: {},
    ...Json.objectOf(node)
  }))
  const idOf = (node: Fields): string => JSON.stringify(node.id)
  return JSON.stringify(sorted([filled.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1)), edges]))
}

/** The same value with the members of each object in the order of their names. */
const sorted = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Json.isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const targetNames = { BOOL_CONDITION: ["true", "false"], LOOP: ["loop_not_done", "loop_done"], END: [] }

/**
 * The nodes that START reaches, in reverse postorder, with the positions that their edges lead to. `null` for a graph that
 * could not be saved.
 */
const ordered = (nodes: Schema.Json, edges: Schema.Json): ReadonlyArray<Place> | null => {
  if (!Array.isArray(nodes) || !Json.isObject(edges)) return null
  const byId = new Map<string, CompiledNode>()
  for (const node of nodes as ReadonlyArray<Schema.Json>) {
    if (!Json.isObject(node)) return null
    const { action, id, name, parameters = {} } = node
    if (typeof id !== "string" || typeof name !== "string" || typeof action !== "string") return null
    if (!Json.isObject(parameters) || byId.has(id)) return null
    byId.set(id, { ...node, id, name, action, parameters })
  }
  const start = [...byId.values()].find(({ action }) => action === "START")
  if (start === undefined) return null
  const targetsOf = ({ action, id }: CompiledNode): ReadonlyArray<string> | null => {
    const edge = Json.objectOf(edges[id] ?? {})
    const names = targetNames[action as keyof typeof targetNames] ?? ["to"]
    const targets = names.map((name) => edge[name])
    return targets.every((target) => typeof target === "string" && byId.has(target)) ? (targets as Array<string>) : null
  }
  const next = new Map<string, ReadonlyArray<string>>()
  const done: Array<string> = []
  const stack: Array<{ readonly id: string; readonly left: Array<string> }> = []
  const enter = (node: CompiledNode): boolean => {
    const targets = targetsOf(node)
    if (targets === null) return false
    next.set(node.id, targets)
    // The last one is followed first, so that the first one stands first.
    stack.push({ id: node.id, left: [...targets] })
    return true
  }
  if (!enter(start)) return null
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = top.left.pop()
    if (target === undefined) {
      done.push(top.id)
      stack.pop()
      continue
    }
    const node = byId.get(target)
    if (node !== undefined && !next.has(target) && !enter(node)) return null
  }
  const order = done.reverse()
  const indexes = new Map(order.map((id, index) => [id, index]))
  return order.flatMap((id) => {
    const node = byId.get(id)
    return node === undefined ? [] : [{ node, next: (next.get(id) ?? []).map((one) => indexes.get(one) ?? 0) }]
  })
}

/** The immediate dominator of each place, by the algorithm of Cooper, Harvey and Kennedy. */
const dominators = (places: ReadonlyArray<Place>, before: ReadonlyArray<ReadonlyArray<number>>): Array<number> => {
  const found: Array<number> = places.map((_, index) => (index === 0 ? 0 : -1))
  const of = (index: number): number => found[index] ?? -1
  const common = (one: number, other: number): number => {
    let [left, right] = [one, other]
    while (left !== right) {
      while (left > right) left = of(left)
      while (right > left) right = of(right)
    }
    return left
  }
  for (let changed = true; changed; ) {
    changed = false
    for (let index = 1; index < places.length; index++) {
      let dominator = -1
      for (const one of before[index] ?? []) {
        if (of(one) >= 0) dominator = dominator < 0 ? one : common(one, dominator)
      }
      if (dominator !== of(index)) {
        found[index] = dominator
        changed = true
      }
    }
  }
  return found
}

const structured = (places: ReadonlyArray<Place>): ReadonlyArray<Move> | null => {
  const before: Array<Array<number>> = places.map(() => [])
  for (const [index, { next }] of places.entries()) for (const target of next) before[target]?.push(index)
  const dominator = dominators(places, before)
  /** Where several paths meet, other than those that come back to a place. */
  const isMeeting = (index: number): boolean => {
    const [one, ...others] = (before[index] ?? []).filter((from) => from < index)
    return one !== dominator[index] || others.length > 0
  }
  const meetings: Array<Array<number>> = places.map(() => [])
  for (let index = 1; index < places.length; index++) {
    if (isMeeting(index)) meetings[dominator[index] ?? 0]?.push(index)
  }
  const isWithin = (index: number, from: number): boolean => dominator[index] === from && !isMeeting(index)
  const words = wordsFor(places.map(({ node }) => node))
  const goTo = (index: number): Move => ({ _tag: "GoTo", step: words[index] ?? "" })

  const sequence = (first: number, follow: number, depth: number): ReadonlyArray<Move> => {
    if (depth > maxDepth) throw new TooDeep()
    const moves: Array<Move> = []
    const agenda = [{ index: first, follow }]
    for (let head = agenda.pop(); head !== undefined; head = agenda.pop()) {
      const { index } = head
      const behind = meetings[index] ?? []
      for (let at = behind.length - 1; at >= 0; at--) {
        agenda.push({ index: behind[at] ?? 0, follow: behind[at + 1] ?? head.follow })
      }
      const after = behind[0] ?? head.follow
      const continueAt = (target: number): void => {
        if (isWithin(target, index)) agenda.push({ index: target, follow: after })
        else if (target !== after) moves.push(goTo(target))
      }
      const branch = (target: number, end: number): ReadonlyArray<Move> =>
        isWithin(target, index) ? sequence(target, end, depth + 1) : target === end ? [] : [goTo(target)]
      const { next, node } = places[index] ?? { next: [], node: noNode }
      const { action, id, name, parameters, ...fields } = node
      const written = { name, parameters, node: { id, ...fields } }
      const [one, other] = next
      if (action === "BOOL_CONDITION" && one !== undefined && other !== undefined) {
        const yes = branch(one, after)
        if (!fallsThrough(yes)) {
          moves.push({ _tag: "When", ...written, yes, no: [] })
          continueAt(other)
          continue
        }
        const no = branch(other, after)
        if (fallsThrough(no)) moves.push({ _tag: "When", ...written, yes, no })
        else moves.push({ _tag: "When", ...written, yes: [], no }, ...yes)
      } else if (action === "LOOP" && one !== undefined && other !== undefined) {
        moves.push({ _tag: "Each", ...written, body: branch(one, index) })
        continueAt(other)
      } else {
        moves.push({ _tag: "Step", action, ...written })
        if (one !== undefined) continueAt(one)
      }
    }
    return moves
  }
  try {
    return sequence(0, -1, 0)
  } catch (error) {
    if (error instanceof TooDeep) return null
    throw error
  }
}

/** Raised within this file. */
class TooDeep extends Error {}

const noNode: CompiledNode = { id: "", name: "", action: "", parameters: {} }

/** What a `GoTo` calls each node: its name, or its id where others have the name. */
const wordsFor = (nodes: ReadonlyArray<CompiledNode>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { id, name } of nodes)
    for (const word of new Set([id, name])) counts.set(word, (counts.get(word) ?? 0) + 1)
  return nodes.map(({ id, name }) => (counts.get(name) === 1 ? name : id))
}

/** The moves without the ids that their names give them anyway. */
export const withoutOwnIds = (moves: ReadonlyArray<Move>): ReadonlyArray<Move> => {
  const counts = new Map<string, number>()
  const shortened = (list: ReadonlyArray<Move>): ReadonlyArray<Move> =>
    list.map((move) => {
      if (move._tag === "GoTo" || move._tag === "Assume") return move
      const count = (counts.get(move.name) ?? 0) + 1
      counts.set(move.name, count)
      const { id, ...fields } = move.node
      const node = id === idOfStep(move.name, count) || id === undefined ? fields : { id, ...fields }
      if (move._tag === "When") {
        const yes = shortened(move.yes)
        return { ...move, node, yes, no: shortened(move.no) }
      }
      return move._tag === "Each" ? { ...move, node, body: shortened(move.body) } : { ...move, node }
    })
  return shortened(moves)
}
