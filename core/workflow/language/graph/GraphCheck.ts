/** Checks the nodes and edges of a workflow when it is saved, and lists every problem. */
import { Result, Schema } from "effect"
import * as Json from "../../../workspace/Json.ts"
import type { Problem } from "../../Workflow.ts"
import { dragEnds } from "../parameters/PointerParameters.ts"
import { type ActionName, isServed, parameters, unserved } from "./Action.ts"
import * as Approval from "./Approval.ts"
import * as Expect from "./Expect.ts"
import { type Edge, type Graph, type Node, type NodeId, reach, targets } from "./Graph.ts"
import { problemsOf, under } from "./Paths.ts"
import * as RunIf from "./RunIf.ts"

const maxNodes = 20_000

/** A readable node, with its path in the document. */
interface Placed {
  readonly path: string
  readonly id: NodeId
  readonly name: string
  readonly action: string
  readonly node: Node | null
}

/** The readable part of a graph. */
export interface GraphExamination {
  /** `null` if the targets of its edges are unknown. Nodes with wrong parameters are not among its nodes. */
  readonly graph: Graph | null
  readonly problems: ReadonlyArray<Problem>
  /** The path of a node in the document. */
  readonly pathOf: (id: NodeId) => string
}

/** Reads a valid graph. Fails with every problem, each at its path in the workflow. */
export const read = (nodes: unknown, edges: unknown): Result.Result<Graph, ReadonlyArray<Problem>> => {
  const { graph, problems } = examine(nodes, edges)
  return graph === null || problems.length > 0 ? Result.fail(problems) : Result.succeed(graph)
}

/**
 * Reads the valid parts of a graph, and lists every problem at its path in the workflow: invalid fields of nodes, edges
 * to unknown nodes, nodes that START cannot reach or that cannot reach an END. The last two are checked only if every
 * edge is valid.
 */
export const examine = (nodes: unknown, edges: unknown): GraphExamination => {
  const problems: Array<Problem> = []
  const note = (path: string, message: string): null => {
    problems.push({ path, message })
    return null
  }
  let isWhole = true
  const broken: Note = (path, message) => {
    isWhole = false
    return note(path, message)
  }
  if (!Array.isArray(nodes)) note("nodes", "Expected an array of nodes")
  if (!Json.isObject(edges)) note("edges", "Expected an object that maps the id of each node to where it leads")
  if (Array.isArray(nodes) && nodes.length > maxNodes) {
    note("nodes", `Expected at most ${maxNodes} nodes, got ${nodes.length}`)
  }
  if (Json.isObject(edges) && Object.keys(edges).length > maxNodes) note("edges", `Expected at most ${maxNodes} edges`)
  const placed: Array<Placed> = []
  const byId = new Map<NodeId, Placed>()
  const examined = (graph: Graph | null): GraphExamination => ({
    graph,
    problems,
    pathOf: (id) => byId.get(id)?.path ?? "nodes"
  })
  if (!Array.isArray(nodes) || !Json.isObject(edges) || problems.length > 0) return examined(null)

  for (const [index, value] of nodes.entries()) {
    const one = readNode(value, `nodes[${index}]`, note)
    if (one === null) isWhole = false
    else placed.push(one)
  }
  for (const one of placed) {
    if (byId.has(one.id)) broken(`${one.path}.id`, `${one.id} is the id of another node too: every node needs its own`)
    else byId.set(one.id, one)
  }
  const start = onlyStart(placed, broken)
  if (!placed.some((one) => one.action === "END")) broken("nodes", "Expected at least one END node, got none")

  const read = new Map<NodeId, Edge>()
  for (const [id, value] of Object.entries(edges)) {
    const from = byId.get(id)
    if (from === undefined) note(`edges.${id}`, "No node has this id")
    else if (from.action !== "END") {
      const edge = readEdge(value, from.action, `edges.${id}`, byId, broken)
      if (edge !== null) read.set(id, edge)
    }
  }
  for (const one of byId.values()) {
    if (one.action !== "END" && !Object.hasOwn(edges, one.id)) {
      broken(`edges.${one.id}`, `Node "${one.name}" leads nowhere: every node but END needs an edge`)
    }
  }
  if (start === null || !isWhole) return examined(null)
  checkPaths(start, byId, read, note)
  const readable = new Map(placed.flatMap(({ id, node }) => (node === null ? [] : [[id, node] as const])))
  return examined({ start, nodes: readable, edges: read })
}

type Note = (path: string, message: string) => null

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Reads one node, and records its problems at their paths; `null` if it cannot be identified. */
export const readNode = (value: unknown, path: string, note: Note): Placed | null => {
  if (!Json.isObject(value)) return note(path, "Expected an object")
  const { action, id, name } = value
  const title = typeof name === "string" && name !== "" ? name : path
  if (typeof name !== "string" || name === "") note(`${path}.name`, "Expected the name of the node")
  if (typeof id !== "string" || !uuid.test(id)) {
    return note(`${path}.id`, `Expected a UUID as the id of node "${title}", got ${JSON.stringify(id) ?? "nothing"}`)
  }
  if (typeof action !== "string") return note(`${path}.action`, `Expected the action of node "${title}"`)
  return { path, id, name: title, action, node: readParameters(value, { path, id, name: title, action }, note) }
}

const readParameters = (
  value: Fields,
  place: { readonly path: string; readonly id: string; readonly name: string; readonly action: string },
  note: Note
): Node | null => {
  const { action, id, name, path } = place
  if (!isServed(action)) {
    const why = unserved[action]
    const reason = why === undefined ? `expected one of ${Object.keys(parameters).join(", ")}` : why
    return note(`${path}.action`, `Action ${action} of node "${name}" is not served: ${reason}`)
  }
  const given = value.parameters ?? {}
  if (!Json.isObject(given)) return note(`${path}.parameters`, "Expected an object")
  if (Json.isDeeperThan(given, maxDepth))
    return note(`${path}.parameters`, `Expected at most ${maxDepth} nested levels`)
  const decoded = decoders[action](given)
  const runIf = readRunIf(given.run_if, action)
  const expect = readExpect(given.expect)
  const unknownApproval = (given.approval ?? null) !== null && !("approval" in parameters[action].fields)
  const wrong = [
    // A parameter without effect is a warning elsewhere. This one would leave an act without the approval that it was given.
    ...(unknownApproval ? [{ path: `${path}.parameters.approval`, message: Approval.notFor(action) }] : []),
    ...(Result.isFailure(decoded) ? under(`${path}.parameters`, wrongParameters(action, given, decoded.failure)) : []),
    ...(Result.isFailure(runIf) ? under(`${path}.parameters.run_if`, runIf.failure) : []),
    ...(Result.isFailure(expect) ? under(`${path}.parameters.expect`, expect.failure) : [])
  ]
  for (const problem of wrong) note(problem.path, problem.message)
  if (unknownApproval || Result.isFailure(decoded) || Result.isFailure(runIf) || Result.isFailure(expect)) return null
  const conditions = {
    ...(runIf.success === null ? {} : { run_if: runIf.success }),
    ...(expect.success === null ? {} : { expect: expect.success })
  }
  // The decoder of the action has read the parameters of that action.
  return { id, name, action, parameters: { ...(decoded.success as object), ...conditions } } as Node
}

/**
 * The problems of parameters, including missing ones, which the schema reports only when every present parameter is
 * valid. If an invalid parameter decides which others are required, missing ones are not reported.
 */
const wrongParameters = (action: ActionName, given: Fields, error: Schema.SchemaError): ReadonlyArray<Problem> => {
  const wrong = problemsOf(error)
  const nameOf = ({ path }: Problem) => path.split(/[.[]/, 1)[0] ?? ""
  const names = new Set(wrong.map(nameOf))
  if (["execution", ...(action === "DRAG" ? dragEnds : [])].some((name) => names.has(name))) return wrong
  const others = decoders[action](Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name))))
  if (Result.isSuccess(others)) return wrong
  return [...wrong, ...problemsOf(others.failure).filter((problem) => !names.has(nameOf(problem)))]
}

/** Far more levels than realistic parameters have, and too few to exhaust the stack. */
const maxDepth = 100

const readRunIf = (value: unknown, action: string): Result.Result<RunIf.RunIf | null, ReadonlyArray<Problem>> => {
  if (value === undefined || value === null) return Result.succeed(null)
  if (!RunIf.allowed.has(action)) return Result.fail([{ path: "", message: "property run_if should not exist" }])
  return Result.mapError(RunIf.decode(value), (error) => problemsOf(error))
}

const readExpect = (value: unknown): Result.Result<Expect.Expect | null, ReadonlyArray<Problem>> =>
  value === undefined || value === null
    ? Result.succeed(null)
    : Json.isObject(value)
      ? Result.mapError(Expect.decode(value), (error) => problemsOf(error))
      : Result.fail([{ path: "", message: "Expected an object with conditions" }])

// Each action has its decoder, and no schema of parameters needs a service. The type of `Object.entries` does not
// express this.
const decoders = Object.fromEntries(
  Object.entries(parameters).map(([action, schema]) => [
    action,
    Schema.decodeUnknownResult(schema as Schema.Codec<unknown>, { errors: "all" })
  ])
) as Record<ActionName, (input: unknown) => Result.Result<unknown, Schema.SchemaError>>

const onlyStart = (placed: ReadonlyArray<Placed>, note: Note): NodeId | null => {
  const [first, ...others] = placed.filter((one) => one.action === "START")
  if (first === undefined) return note("nodes", "Expected exactly one START node, got none")
  for (const other of others) note(`${other.path}.action`, "Expected exactly one START node, got another")
  return first.id
}

/** The fields of an edge that hold the next nodes of this action. */
export const edgeNames = (action: string): ReadonlyArray<string> =>
  action === "BOOL_CONDITION" ? ["true", "false"] : action === "LOOP" ? ["loop_not_done", "loop_done"] : ["to"]

const readEdge = (
  value: unknown,
  action: string,
  path: string,
  byId: ReadonlyMap<NodeId, Placed>,
  note: Note
): Edge | null => {
  const names = edgeNames(action)
  if (!Json.isObject(value)) return note(path, `Expected an object with ${names.join(" and ")}`)
  const ends = names.map((name) => {
    const end = value[name]
    if (typeof end === "string" && byId.has(end)) return end
    return note(`${path}.${name}`, `Expected the id of a node, got ${JSON.stringify(end) ?? "nothing"}`)
  })
  const [one, other] = ends
  if (one === null || one === undefined || other === null) return null
  if (other === undefined) return { _tag: "Next", to: one }
  if (action === "LOOP") return { _tag: "Loop", body: one, done: other }
  return one === other
    ? note(path, "Expected true and false to lead to different nodes")
    : { _tag: "Branch", onTrue: one, onFalse: other }
}

const checkPaths = (
  start: NodeId,
  byId: ReadonlyMap<NodeId, Placed>,
  edges: ReadonlyMap<NodeId, Edge>,
  note: Note
): void => {
  const next = (id: NodeId) => targetsOf(edges, id)
  const previous = new Map<NodeId, Array<NodeId>>()
  for (const [id, edge] of edges) {
    for (const target of targets(edge)) {
      const known = previous.get(target)
      if (known === undefined) previous.set(target, [id])
      else known.push(id)
    }
  }
  const reached = reach([start], next)
  const hasLoops = [...byId.values()].some((one) => one.action === "LOOP")
  const circles = circlesOf(hasLoops ? [...byId.keys()] : [], next)
  const ends = [...byId.values()].filter((one) => one.action === "END").map((one) => one.id)
  const ending = reach(ends, (id) => previous.get(id) ?? [])
  for (const { action, id, name, path } of byId.values()) {
    if (!reached.has(id)) note(path, `Node "${name}" cannot be reached from START`)
    else if (!ending.has(id)) note(path, `Node "${name}" cannot reach an END`)
    const edge = edges.get(id)
    if (action === "LOOP" && edge?._tag === "Loop" && circles.get(edge.body) !== circles.get(id)) {
      note(`edges.${id}.loop_not_done`, `The body of loop "${name}" does not lead back to it`)
    }
  }
}

/**
 * Numbers the nodes so that two have the same number when each can be reached from the other (Tarjan's algorithm,
 * iterative: graphs may be long chains).
 */
const circlesOf = (
  ids: ReadonlyArray<NodeId>,
  next: (id: NodeId) => ReadonlyArray<NodeId>
): ReadonlyMap<NodeId, number> => {
  const circles = new Map<NodeId, number>()
  const indexes = new Map<NodeId, number>()
  const lows = new Map<NodeId, number>()
  const open: Array<NodeId> = []
  const low = (id: NodeId, value: number) => lows.set(id, Math.min(lows.get(id) ?? value, value))
  for (const root of ids) {
    const stack: Array<{ readonly id: NodeId; at: number }> = indexes.has(root) ? [] : [{ id: root, at: 0 }]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { id } = top
      if (!indexes.has(id)) {
        low(id, indexes.size)
        indexes.set(id, indexes.size)
        open.push(id)
      }
      const target = next(id)[top.at++]
      if (target !== undefined) {
        if (!indexes.has(target)) stack.push({ id: target, at: 0 })
        else if (!circles.has(target)) low(id, indexes.get(target) ?? 0)
        continue
      }
      stack.pop()
      const parent = stack.at(-1)
      if (parent !== undefined) low(parent.id, lows.get(id) ?? 0)
      if (lows.get(id) !== indexes.get(id)) continue
      for (let one = open.pop(); one !== undefined; one = open.pop()) {
        circles.set(one, indexes.get(id) ?? 0)
        if (one === id) break
      }
    }
  }
  return circles
}

const targetsOf = (edges: ReadonlyMap<NodeId, Edge>, id: NodeId): ReadonlyArray<NodeId> => {
  const edge = edges.get(id)
  return edge === undefined ? [] : targets(edge)
}

type Fields = Readonly<Record<string, unknown>>
