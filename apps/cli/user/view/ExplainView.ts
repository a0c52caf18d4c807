/**
 * What a workflow needs and does, in words for a terminal. A function of the fields of a workflow.
 */
import type { Edge, Graph, Node } from "../../../../core/workflow/language/graph/Graph.ts"
import { targets } from "../../../../core/workflow/language/graph/Graph.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import { cell } from "./Table.ts"

type Fields = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): Fields => (Json.isObject(value) ? value : {})

/** The inputs of a workflow, each with its type and whether it is required. */
const inputs = (schema: Fields): ReadonlyArray<string> => {
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  const all = Object.entries(objectOf(schema.properties)).map(([name, property]) => {
    const { description, enum: choices, type } = objectOf(property)
    const words = [
      Array.isArray(type) ? type.join(" or ") : (type ?? "any value"),
      required.includes(name) ? "required" : "",
      Array.isArray(choices) ? `one of ${choices.map((one) => JSON.stringify(one)).join(", ")}` : ""
    ].filter((word) => word !== "")
    return `  ${cell(name, 60)}: ${cell(words.join(", "), 160)}${typeof description === "string" ? `. ${cell(description, 120)}` : ""}`
  })
  return all.length === 0 ? ["Inputs: none"] : ["Inputs", ...all]
}

const credentials = (schema: Fields): ReadonlyArray<string> => {
  const all = Object.entries(schema).map(
    ([alias, entry]) => `  ${cell(alias, 60)}: for ${cell(String(objectOf(entry).domain ?? "any site"), 120)}`
  )
  return all.length === 0 ? ["Credentials: none"] : ["Credentials", ...all]
}

/** Parameters in the order in which they say most; long ones are cut. */
const parametersOf = ({ parameters }: Node): string =>
  Object.entries(parameters as Fields)
    .filter(([name, value]) => name !== "execution" && value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .map((text) => cell(text, 100))
    .join("  ")

/** The nodes in the order in which a run meets them: along the first edge of each, then along the others. */
const ordered = ({ edges, nodes, start }: Graph): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  const seen = new Set<string>()
  const waiting = [start]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = nodes.get(id)
    if (node === undefined || seen.has(id)) continue
    seen.add(id)
    found.push(node)
    const edge = edges.get(id)
    if (edge !== undefined) waiting.push(...targets(edge).toReversed())
  }
  return found
}

const words: { readonly [T in Edge["_tag"]]: ReadonlyArray<string> } = {
  Next: ["then"],
  Branch: ["if so, then", "else"],
  Loop: ["for each, then", "after the last one, then"]
}

/** Where a node leads; nothing where that is the next line. */
const ways = (edge: Edge | undefined, numberOf: (id: string) => number, line: number): ReadonlyArray<string> => {
  if (edge === undefined || (edge._tag === "Next" && numberOf(edge.to) === line + 1)) return []
  return targets(edge).map((id, at) => `      ${words[edge._tag][at]} ${numberOf(id)}`)
}

const steps = (graph: Graph): ReadonlyArray<string> => {
  const all = ordered(graph)
  const numbers = new Map(all.map(({ id }, at) => [id, at + 1]))
  return all.flatMap((node, at) => [
    `${String(at + 1).padStart(4)}  ${cell(node.name, 60)}  ${node.action}  ${parametersOf(node)}`.trimEnd(),
    ...ways(graph.edges.get(node.id), (id) => numbers.get(id) ?? 0, at + 1)
  ])
}

/** What a workflow needs, and each of its steps. */
export const text = (fields: Fields, graph: Graph, window: string): string =>
  [
    `${cell(String(fields.name ?? ""), 100)}${typeof fields.version_number === "number" ? `, version ${fields.version_number}` : ""}`,
    ...(typeof fields.description === "string" ? [cell(fields.description, 400)] : []),
    ...inputs(objectOf(fields.input_schema)),
    ...credentials(objectOf(fields.vault_schema)),
    ...(window === "" ? [] : [window]),
    "Steps",
    ...steps(graph)
  ].join("\n")
