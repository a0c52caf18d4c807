/**
 * Checks the content of a component when it is saved, and lists all problems.
 */
import { Result, Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as VaultSchema from "../contract/VaultSchema.ts"
import * as Template from "../language/expression/Template.ts"
import * as GraphCheck from "../language/graph/GraphCheck.ts"
import * as NodeExpressions from "../language/graph/NodeExpressions.ts"
import { problemsOf, under } from "../language/graph/Paths.ts"
import type { Problem } from "../Workflow.ts"
import { ComponentData } from "./Component.ts"

/** The content of a component in a request body. */
export const Sent = Schema.Struct({
  nodes: ComponentData.fields.nodes,
  workflowEdges: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  reactFlowEdges: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.JsonObject))),
  vault_schema: Schema.optionalKey(Schema.NullOr(Schema.JsonObject))
})

const decode = Schema.decodeUnknownResult(Sent, { errors: "all" })

/**
 * Reads the data of a component: its nodes with their parameters, the edges between them, and the credentials that they
 * need. Fails with every problem, each at its path below `path`.
 */
export const read = (value: unknown, path: string): Result.Result<ComponentData, ReadonlyArray<Problem>> => {
  const plain = isPlain(value)
  const pathIn = (problem: Problem): Problem =>
    plain
      ? {
          ...problem,
          path: problem.path.replace(/(nodes\[\d+\])\.workflowNode/, "$1").replace(/\bworkflowEdges\b/, "edges")
        }
      : problem
  const decoded = decode(plain ? wrapped(value) : value)
  if (Result.isFailure(decoded)) return Result.fail(problemsOf(decoded.failure, path).map(pathIn))
  const data: ComponentData = {
    nodes: decoded.success.nodes,
    workflowEdges: decoded.success.workflowEdges ?? {},
    reactFlowEdges: decoded.success.reactFlowEdges ?? [],
    vault_schema: decoded.success.vault_schema ?? {}
  }
  const problems = [
    ...nodeProblems(data),
    ...edgeProblems(data),
    ...drawingProblems(data),
    ...VaultSchema.problems(data.vault_schema)
  ]
  return problems.length === 0 ? Result.succeed(data) : Result.fail(under(path, problems).map(pathIn))
}

/** The other published form of a component: nodes as a workflow has them, and their edges as `edges`. */
interface Plain {
  readonly nodes: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly edges?: unknown
}

const isPlain = (value: unknown): value is Plain =>
  Json.isObject(value) &&
  Array.isArray(value.nodes) &&
  value.nodes.length > 0 &&
  value.nodes.every((node: unknown) => Json.isObject(node) && !("workflowNode" in node) && "action" in node)

/** Converts a component of the plain form to the usual one. */
const wrapped = ({ edges, nodes, ...others }: Plain): unknown => ({
  workflowEdges: edges ?? {},
  ...others,
  nodes: nodes.map(({ position, ...node }) => ({ workflowNode: node, ...(position === undefined ? {} : { position }) }))
})

const nodeProblems = ({ nodes }: ComponentData): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const note = (path: string, message: string): null => {
    problems.push({ path, message })
    return null
  }
  if (nodes.length === 0) note("nodes", "Expected at least one node")
  const known = new Set<string>()
  for (const [index, { workflowNode }] of nodes.entries()) {
    const path = `nodes[${index}].workflowNode`
    const placed = GraphCheck.readNode(workflowNode, path, note)
    if (placed === null) continue
    if (placed.action === "START" || placed.action === "END") {
      note(`${path}.action`, `Expected no ${placed.action} in a component: the workflow that holds it has its own`)
    }
    if (known.has(placed.id)) note(`${path}.id`, `${placed.id} is the id of another node too: every node needs its own`)
    known.add(placed.id)
    for (const { at, text } of NodeExpressions.texts(workflowNode.parameters, `${path}.parameters`)) {
      for (const { reason, source } of Template.parse(text).unreadable) {
        note(at, `Cannot read the expression {{${source}}} of node "${placed.name}": ${reason}`)
      }
    }
  }
  return problems
}

const edgeProblems = ({ nodes, workflowEdges }: ComponentData): ReadonlyArray<Problem> => {
  const byId = new Map(nodes.map(({ workflowNode }) => [workflowNode.id, workflowNode]))
  return Object.entries(workflowEdges).flatMap(([id, edge]): ReadonlyArray<Problem> => {
    const from = byId.get(id)
    if (from === undefined) return [{ path: `workflowEdges.${id}`, message: "No node of the component has this id" }]
    const names = GraphCheck.edgeNames(String(from.action))
    if (!Json.isObject(edge)) {
      return [{ path: `workflowEdges.${id}`, message: `Expected an object with ${names.join(" and ")}` }]
    }
    const ends = names.flatMap((name) => {
      const end = edge[name] ?? null
      return end === null || byId.has(end)
        ? []
        : [
            {
              path: `workflowEdges.${id}.${name}`,
              message: `Expected the id of a node of the component, or null for what leads out of it, got ${JSON.stringify(end)}`
            }
          ]
    })
    const [one, other] = names.map((name) => edge[name] ?? null)
    const same = from.action === "BOOL_CONDITION" && one !== null && one === other
    return same
      ? [...ends, { path: `workflowEdges.${id}`, message: "Expected true and false to lead to different nodes" }]
      : ends
  })
}

const drawingProblems = ({ nodes, reactFlowEdges }: ComponentData): ReadonlyArray<Problem> => {
  const ids = new Set(nodes.map(({ workflowNode }) => workflowNode.id))
  return reactFlowEdges.flatMap((edge, index) =>
    ["sourceId", "targetId"].flatMap((name) => {
      const end = edge[name]
      return end !== undefined && ids.has(end)
        ? []
        : [
            {
              path: `reactFlowEdges[${index}].${name}`,
              message: `Expected the id of a node of the component, got ${JSON.stringify(end) ?? "nothing"}`
            }
          ]
    })
  )
}
