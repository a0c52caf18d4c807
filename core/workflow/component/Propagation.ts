/**
 * Carries a new version of a component into the workflows that hold instances of it.
 */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { reach } from "../language/graph/Graph.ts"
import * as GraphCheck from "../language/graph/GraphCheck.ts"
import type { Content, Problem } from "../Workflow.ts"
import type { ComponentData } from "./Component.ts"
import * as Instances from "./Instances.ts"

/** A component before and after the propagated change. */
export interface ComponentChange {
  readonly component: string
  readonly before: ComponentData
  readonly after: ComponentData
}

/**
 * Gives every instance of a component in a workflow the nodes and inner edges of the new version.
 *
 * Nodes are matched by their id within the component. A matched node keeps its id in the workflow, and its name,
 * description, action and parameters become those of the component. A node that the component no longer has is removed,
 * and a new one is added. Edges into the start of the component lead to its new start; edges out of it are kept. If a
 * credential alias exists in both, the workflow keeps its own.
 *
 * Fails if the target of an edge is ambiguous: an edge that leaves a new end of an instance with several exits, or that
 * leads to a removed node of a component without a single start. The caller must check that the result is a valid
 * workflow.
 */
export const carry = (content: Content, carried: ComponentChange): Result.Result<Content, ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = []
  // The content of a saved version is valid: a list of nodes, and an object of edges.
  const nodes = content.nodes as ReadonlyArray<Schema.JsonObject>
  const instances = new Set(
    nodes.flatMap((node) => {
      const mark = Instances.markOf(node)
      return mark?.component === carried.component ? [mark.instance] : []
    })
  )
  let graph: Graph = { nodes, edges: Json.objectOf(content.edges) }
  for (const instance of instances) graph = carryInto(graph, instance, carried, problems)
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({
        ...content,
        nodes: graph.nodes,
        edges: graph.edges,
        vault_schema: { ...carried.after.vault_schema, ...content.vault_schema }
      })
}

interface Graph {
  readonly nodes: ReadonlyArray<Schema.JsonObject>
  readonly edges: Schema.JsonObject
}

const carryInto = (
  graph: Graph,
  instance: string,
  { after, before }: ComponentChange,
  problems: Array<Problem>
): Graph => {
  const held = new Map<string, Schema.JsonObject>()
  for (const node of graph.nodes) {
    const mark = Instances.markOf(node)
    if (mark?.instance === instance) held.set(mark.node, node)
  }
  const inside = new Set(held.values())
  const outside = new Set(graph.nodes.filter((node) => !inside.has(node)).map(idOf))

  /** The ids in the workflow, by those within the component. */
  const ids = new Map<string, string>()
  const taken = new Set(outside)
  for (const node of held.values()) taken.add(idOf(node))
  for (const own of idsOf(after)) {
    const known = held.get(own)
    const id = known === undefined ? (taken.has(own) ? derived(own, instance) : own) : idOf(known)
    ids.set(own, id)
    taken.add(id)
  }

  const insideBefore = new Set([...held.values()].map(idOf))
  const exits = new Set([...insideBefore].flatMap((id) => endsOf(graph.edges[id])).filter((end) => outside.has(end)))
  const onlyExit = exits.size === 1 ? ([...exits][0] ?? null) : null

  const newNodes = after.nodes.map(({ workflowNode }) => {
    const own = ownId(workflowNode)
    const { description: _description, ...kept } = held.get(own) ?? {}
    return { ...kept, ...workflowNode, id: ids.get(own) ?? own, ...Instances.marks(instance, own) }
  })
  const newEdges = after.nodes.map(({ workflowNode }): readonly [string, Schema.JsonObject] => {
    const own = ownId(workflowNode)
    const id = ids.get(own) ?? own
    const inner = Json.objectOf(after.workflowEdges[String(workflowNode.id)])
    const former = Json.objectOf(graph.edges[id])
    const ends = GraphCheck.edgeNames(String(workflowNode.action)).map((name) => {
      const end = inner[name]
      if (typeof end === "string") return [name, ids.get(end.toLowerCase()) ?? end] as const
      const out = former[name]
      if (typeof out === "string" && outside.has(out)) return [name, out] as const
      if (onlyExit === null) {
        problems.push({
          path: `edges.${id}.${name}`,
          message: `Ambiguous target of the edge from node "${String(workflowNode.name)}" out of the component`
        })
      }
      return [name, onlyExit] as const
    })
    return [id, Object.fromEntries(ends)]
  })

  const entryBefore = entryOf(before)
  const formerEntry = entryBefore === null ? null : (held.get(entryBefore) ?? null)
  const entry = entryOf(after)
  const entryId = entry === null ? null : (ids.get(entry) ?? null)
  const kept = new Set(ids.values())
  const into = (end: string, path: string): string => {
    if (!insideBefore.has(end)) return end
    if (formerEntry !== null && idOf(formerEntry) === end && entryId !== null) return entryId
    if (kept.has(end)) return end
    if (entryId === null) {
      problems.push({
        path,
        message:
          "This edge leads to a node that the component no longer has, and the component has no single start node"
      })
    }
    return entryId ?? end
  }
  const outerEdges = Object.entries(graph.edges)
    .filter(([id]) => !insideBefore.has(id))
    .map(
      ([id, edge]) =>
        [
          id,
          Object.fromEntries(
            Object.entries(Json.objectOf(edge)).map(([name, end]) => [
              name,
              typeof end === "string" ? into(end, `edges.${id}.${name}`) : end
            ])
          )
        ] as const
    )

  // Insert the instance at the index of its former first node, so that the order of the others does not change.
  const place = graph.nodes.findIndex((node) => insideBefore.has(idOf(node)))
  const others = (part: ReadonlyArray<Schema.JsonObject>) => part.filter((node) => !insideBefore.has(idOf(node)))
  return {
    nodes: [...others(graph.nodes.slice(0, place)), ...newNodes, ...others(graph.nodes.slice(place))],
    edges: Object.fromEntries([...outerEdges, ...newEdges])
  }
}

/**
 * The start node of a component: the first node, in list order, from which all others can be reached. Nodes without an
 * edge leading to them are preferred. `null` if no node qualifies.
 */
const entryOf = (data: ComponentData): string | null => {
  const all = idsOf(data)
  const ends = new Map<string, Array<string>>()
  const previous = new Map<string, Array<string>>()
  const add = (to: Map<string, Array<string>>, id: string, other: string) => {
    const known = to.get(id)
    if (known === undefined) to.set(id, [other])
    else known.push(other)
  }
  for (const [id, edge] of Object.entries(data.workflowEdges)) {
    for (const end of endsOf(edge).map((one) => one.toLowerCase())) {
      add(ends, id.toLowerCase(), end)
      add(previous, end, id.toLowerCase())
    }
  }
  // If a start node exists, the last node without a predecessor is one.
  const found = new Set<string>()
  let last: string | null = null
  for (const id of all) {
    if (found.has(id)) continue
    last = id
    const pending = [id]
    for (const one of pending) {
      if (found.has(one)) continue
      found.add(one)
      pending.push(...(ends.get(one) ?? []))
    }
  }
  if (last === null || reach([last], (id) => ends.get(id) ?? []).size < all.length) return null
  const beginnings = reach([last], (id) => previous.get(id) ?? [])
  return all.find((id) => beginnings.has(id)) ?? null
}

const idsOf = (data: ComponentData): ReadonlyArray<string> => data.nodes.map(({ workflowNode }) => ownId(workflowNode))

const ownId = (node: Schema.JsonObject): string => String(node.id).toLowerCase()

const idOf = (node: Schema.JsonObject): string => String(node.id)

const endsOf = (edge: Schema.Json | undefined): ReadonlyArray<string> =>
  Object.values(Json.objectOf(edge)).filter((end): end is string => typeof end === "string")

/**
 * The id of a node in an instance when its own id is already used. It is the same for the same node and instance, and
 * distinct for any other: a UUID of version 8, whose bits are the sum of both.
 */
const derived = (own: string, instance: string): string => {
  const salt = hexOf(instance.slice(-36))
  const mixed = [...hexOf(own)].map((digit, index) =>
    ((Number.parseInt(digit, 16) + Number.parseInt(salt[index] ?? "0", 16)) % 16).toString(16)
  )
  mixed[12] = "8"
  mixed[16] = "8"
  const text = mixed.join("")
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-")
}

const hexOf = (uuid: string): string => uuid.replaceAll("-", "")
