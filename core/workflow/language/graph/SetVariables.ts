/**
 * Which variables of the context are set before each node of a graph: on every path to it, and on any.
 */
import * as Template from "../expression/Template.ts"
import { placeOf } from "../parameters/ApiFlowParameters.ts"
import { names as selectedNames } from "../parameters/DataModel.ts"
import { namesIn as namesOfPath, type Operation } from "../parameters/TransformParameters.ts"
import { type Graph, type Node, type NodeId, targets } from "./Graph.ts"
import * as RunIf from "./RunIf.ts"

/** The effect of a node on the variables. `any` is `true` if their names are known only after the node has run. */
interface Effects {
  readonly sets: ReadonlyArray<string>
  /** Whether the node may be skipped or may set nothing, so that its variables may be missing afterwards. */
  readonly unsure: boolean
  readonly removes: ReadonlyArray<string>
  readonly any: boolean
}

const none: Effects = { sets: [], unsure: false, removes: [], any: false }

/** A node that could not be read. */
const unknown: Effects = { ...none, any: true }

/** The name of a variable of a loop in this analysis. No other variable has such a name. */
export const ofLoop = (name: string): string => `runtime.${name}`

/** Every name that some node of a graph sets; variables of loops by their names within `context.runtime`. */
export const namesIn = (
  graph: Graph
): { readonly variables: ReadonlySet<string>; readonly ofLoops: ReadonlySet<string> } => {
  const variables = new Set<string>()
  const ofLoops = new Set<string>()
  for (const node of graph.nodes.values()) {
    if (node.action === "LOOP") {
      ofLoops.add(node.parameters.variable_current_item).add(node.parameters.variable_current_index)
    } else for (const name of effectsOf(node).sets) variables.add(name)
  }
  return { variables, ofLoops }
}

/** The effect of a node, by its parameters. */
const effectsOf = (node: Node): Effects => {
  const unsure = RunIf.of(node) !== null
  const setting = (sets: ReadonlyArray<string>): Effects => ({
    ...none,
    unsure,
    sets: sets.filter((name) => !Template.isTemplate(name)),
    any: sets.some(Template.isTemplate)
  })
  switch (node.action) {
    case "CLICK":
      return setting(node.parameters.copied_as == null ? [] : [node.parameters.copied_as])
    case "USER_INTERACTION":
      return setting(Object.keys(node.parameters.expected_datamodel.properties ?? {}))
    case "EXTRACT_DATAMODEL":
    case "EXTRACT_NETWORK":
      return setting(selectedNames(node.parameters.extract_data_model))
    case "API_FLOW": {
      const map = node.parameters.field_json_map ?? {}
      if (typeof map === "string") return { ...none, any: true }
      return setting(Object.keys(map).flatMap((name) => namesOfPath(placeOf(name)).slice(0, 1)))
    }
    case "TRANSFORM":
      return effectsOfOperations(node.parameters.operations)
    case "LOOP": {
      const { variable_current_index, variable_current_item } = node.parameters
      return setting([variable_current_item, variable_current_index].map(ofLoop))
    }
    default:
      return none
  }
}

/** Whether a node may set a variable, so that it is there once the node is done. */
export const mayBeSetBy = (node: Node, name: string): boolean => {
  const { any, sets } = effectsOf(node)
  return any || sets.includes(name)
}

/** Variables of optional operations may be missing afterwards, unless an operation that always runs sets them. */
const effectsOfOperations = (operations: ReadonlyArray<Operation>): Effects => {
  const sets = new Set<string>()
  const removes = new Set<string>()
  let unsure = false
  for (const { optional, target, type } of operations) {
    const [name = "", ...rest] = namesOfPath(target)
    if (type !== "DELETE") {
      unsure ||= optional === true && !sets.has(name)
      sets.add(name)
      if (optional !== true) removes.delete(name)
    } else if (rest.length === 0) {
      sets.delete(name)
      removes.add(name)
    }
  }
  return { sets: [...sets], removes: [...removes], unsure, any: false }
}

export interface SetVariables {
  /** Whether a variable is set on every path to a node. */
  readonly always: (id: NodeId, name: string) => boolean
  /** Whether a variable is set on some path to a node. */
  readonly sometimes: (id: NodeId, name: string) => boolean
  /** Whether START has an edge. */
  readonly isReached: (id: NodeId) => boolean
}

/** The number of variables in one pass, each as one bit. */
const blockSize = 1_024
const words = blockSize / 32

interface Block {
  readonly always: Int32Array
  readonly sometimes: Int32Array
}

/**
 * Computes where the named variables are set in a graph. Names that are not listed count as never set.
 *
 * Sets propagate along the edges until none changes. This ends, because sets of "always" only shrink and sets of
 * "sometimes" only grow.
 */
export const follow = (graph: Graph, names: Iterable<string>): SetVariables => {
  const ids = ordered(graph)
  const indexes = new Map(ids.map((id, index) => [id, index]))
  const effects = ids.map((id) => {
    const node = graph.nodes.get(id)
    return node === undefined ? unknown : effectsOf(node)
  })
  const next = ids.map((id) => {
    const edge = graph.edges.get(id)
    return edge === undefined ? [] : targets(edge).flatMap((target) => indexes.get(target) ?? [])
  })
  const numbers = new Map<string, number>()
  for (const name of names) if (!numbers.has(name)) numbers.set(name, numbers.size)
  const blocks = Array.from({ length: Math.ceil(numbers.size / blockSize) }, () => new Map<number, Change>())
  for (const [index, { any, removes, sets, unsure }] of effects.entries()) {
    for (const [kind, all] of [
      ["sets", sets],
      ["removes", removes]
    ] as const) {
      for (const name of all) {
        const number = numbers.get(name)
        if (number === undefined) continue
        const block = blocks[Math.floor(number / blockSize)]
        const change = block?.get(index) ?? { any, unsure, sets: [], removes: [] }
        change[kind].push(number % blockSize)
        block?.set(index, change)
      }
    }
    if (any) for (const block of blocks) block.set(index, { any, unsure, sets: [], removes: [] })
  }
  const followed = blocks.map((changes) => followBlock(changes, next))
  const has = (sets: "always" | "sometimes") => (id: NodeId, name: string) => {
    const number = numbers.get(name)
    const index = indexes.get(id)
    if (number === undefined || index === undefined) return false
    const bit = number % blockSize
    const word = followed[Math.floor(number / blockSize)]?.[sets][index * words + (bit >> 5)] ?? 0
    return (word & (1 << (bit & 31))) !== 0
  }
  return { always: has("always"), sometimes: has("sometimes"), isReached: (id) => indexes.has(id) }
}

/** The effect of a node on the variables of one block. */
interface Change {
  readonly any: boolean
  readonly unsure: boolean
  readonly sets: Array<number>
  readonly removes: Array<number>
}

const followBlock = (changes: ReadonlyMap<number, Change>, next: ReadonlyArray<ReadonlyArray<number>>): Block => {
  const count = next.length
  const always = new Int32Array(count * words).fill(-1)
  const sometimes = new Int32Array(count * words)
  const reached = new Uint8Array(count)
  always.fill(0, 0, words)
  reached[0] = 1
  const sure = new Int32Array(words)
  const maybe = new Int32Array(words)
  const waiting = new Uint8Array(count)
  waiting[0] = 1
  for (let isOver = false; !isOver; ) {
    isOver = true
    for (let index = 0; index < count; index++) {
      if (waiting[index] === 0) continue
      waiting[index] = 0
      const change = changes.get(index)
      sure.set(always.subarray(index * words, (index + 1) * words))
      maybe.set(sometimes.subarray(index * words, (index + 1) * words))
      for (const bit of change?.removes ?? []) sure[bit >> 5] = (sure[bit >> 5] ?? 0) & ~(1 << (bit & 31))
      for (const bit of change?.sets ?? []) {
        maybe[bit >> 5] = (maybe[bit >> 5] ?? 0) | (1 << (bit & 31))
        if (change?.unsure !== true) sure[bit >> 5] = (sure[bit >> 5] ?? 0) | (1 << (bit & 31))
      }
      if (change?.any === true) maybe.fill(-1)
      for (const target of next[index] ?? []) {
        let changed = reached[target] === 0
        reached[target] = 1
        for (let word = 0; word < words; word++) {
          const at = target * words + word
          const all = (always[at] ?? 0) & (sure[word] ?? 0)
          const any = (sometimes[at] ?? 0) | (maybe[word] ?? 0)
          if (all !== always[at] || any !== sometimes[at]) changed = true
          always[at] = all
          sometimes[at] = any
        }
        if (!changed) continue
        waiting[target] = 1
        if (target <= index) isOver = false
      }
    }
  }
  return { always, sometimes }
}

/** The nodes that START reaches, mostly in topological order. Iterative: graphs may be long chains. */
const ordered = (graph: Graph): ReadonlyArray<NodeId> => {
  const seen = new Set([graph.start])
  const done: Array<NodeId> = []
  const stack: Array<{ readonly id: NodeId; readonly left: Array<NodeId> }> = []
  const enter = (id: NodeId) => {
    const edge = graph.edges.get(id)
    stack.push({ id, left: edge === undefined ? [] : [...targets(edge)] })
  }
  enter(graph.start)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = top.left.shift()
    if (target === undefined) {
      done.push(top.id)
      stack.pop()
    } else if (!seen.has(target)) {
      seen.add(target)
      enter(target)
    }
  }
  return done.reverse()
}
