/** Workflows written as TypeScript, in one stable form: the same workflow always has the same text. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { settings } from "../Workflow.ts"
import * as KnownNames from "./KnownNames.ts"
import { keyOf, literal, quoted, width } from "./Literal.ts"
import { isNode, type Move, type NodeMove } from "./Move.ts"
import { movesOf, withoutOwnIds } from "./Structure.ts"
import { methods, noInputs } from "./WorkflowCode.ts"

type Fields = Readonly<Record<string, Schema.Json | undefined>>

/** The module that the code imports. */
export const moduleName = "@sluice/core/workflow/code"

/**
 * The code of a workflow, which `body` turns into the same workflow again: the fields of a save request, and `schedules`
 * if there are some. Settings with their default are left out, and so are fields that no save reads.
 *
 * Steps are written in their order where the graph can be saved, and as `raw` nodes and edges otherwise.
 */
export const codeOf = (fields: Fields): string => {
  const nodes = fields.nodes ?? []
  const edges = fields.edges ?? {}
  const moves = movesOf(nodes, edges)
  const head = `import * as Code from ${quoted(moduleName)}\n\nexport default Code.workflow(${literal(optionsOf(fields), "", width)})`
  if (moves === null)
    return `${head}.raw({\n  nodes: ${literal(nodes, "  ", 9)},\n  edges: ${rawEdges(nodes, edges)}\n})\n`
  const inputs = KnownNames.ofInputs(
    Json.objectOf(fields.input_schema),
    Object.keys(Json.objectOf(fields.vault_schema))
  )
  return `${head}${chain(assuming(withoutOwnIds(moves), new Set(inputs)), "  ")}\n`
}

/** Settings of older workflows, which a save reads where the workflow does not have them itself. */
const startSettings = ["video_record_session", "popup_xpaths", "extract_network_urls"]

const optionsOf = (fields: Fields): Schema.JsonObject => {
  const { input_schema = {}, output_schema = {}, vault_schema = {} } = fields
  const start = (Array.isArray(fields.nodes) ? fields.nodes : []).find(
    (node: Schema.Json) => Json.objectOf(node).action === "START"
  )
  const isOlder = startSettings.some((name) => name in Json.objectOf(Json.objectOf(start).parameters))
  const isDefault = (value: Schema.Json | undefined): boolean =>
    value === undefined ||
    value === null ||
    (!isOlder && (value === false || (Array.isArray(value) && value.length === 0)))
  const given = (name: string, value: Schema.Json | undefined, isLeftOut = value === undefined || value === null) =>
    isLeftOut || value === undefined ? [] : [[name, value] as const]
  const isEmpty = (value: Schema.Json): boolean => JSON.stringify(value) === "{}"
  return Object.fromEntries([
    ...given("name", fields.name),
    ...given("id", fields.id),
    ...given("base_version_id", fields.base_version_id),
    ...given("description", fields.description),
    ...given("version_note", fields.version_note),
    ...given("inputs", input_schema, JSON.stringify(input_schema) === JSON.stringify(noInputs)),
    ...given("outputs", output_schema, isEmpty(output_schema)),
    ...given("credentials", credentialsOf(vault_schema), isEmpty(vault_schema)),
    ...given("max_retries", fields.max_retries, (fields.max_retries ?? 0) === 0),
    ...Object.keys(settings).flatMap((name) => given(name, fields[name], isDefault(fields[name]))),
    ...given("run_window", fields.run_window),
    ...given("schedules", fields.schedules, isDefault(fields.schedules))
  ])
}

const credentialsOf = (vault: Schema.Json): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(Json.objectOf(vault)).map(([alias, entry]) => {
      const { domain, type, ...more } = Json.objectOf(entry)
      return [
        alias,
        type === "credential" && typeof domain === "string" && Object.keys(more).length === 0 ? domain : entry
      ]
    })
  )

/** Moves with an `assume` before each step that reads a name which the types do not see being set. */
const assuming = (moves: ReadonlyArray<Move>, known: Set<string>): ReadonlyArray<Move> =>
  moves.flatMap((move): ReadonlyArray<Move> => {
    if (!isNode(move)) return [move]
    const names = [...new Set(KnownNames.readBy(move))].filter((name) => !KnownNames.isKnown(name, known)).toSorted()
    for (const name of [...names, ...KnownNames.setBy(move)]) known.add(name)
    const before: ReadonlyArray<Move> = names.length === 0 ? [] : [{ _tag: "Assume", names }]
    if (move._tag === "When") {
      const [ofYes, ofNo] = [new Set(known), new Set(known)]
      const yes = assuming(move.yes, ofYes)
      const no = assuming(move.no, ofNo)
      for (const name of [...ofYes, ...ofNo]) known.add(name)
      return [...before, { ...move, yes, no }]
    }
    return [...before, move._tag === "Each" ? { ...move, body: assuming(move.body, known) } : move]
  })

const chain = (moves: ReadonlyArray<Move>, indent: string): string =>
  moves.map((move) => `\n${indent}.${call(move, indent)}`).join("")

const methodOf = new Map<string, string>([
  ...Object.entries(methods).map(([method, action]) => [action, method] as const),
  ["START", "start"],
  ["END", "end"]
])

/** The call of the method that adds a move. */
const call = (move: Move, indent: string): string => {
  if (move._tag === "GoTo") return `goTo(${quoted(move.step)})`
  if (move._tag === "Assume") return `assume(${move.names.map(quoted).join(", ")})`
  const method = move._tag === "When" ? "when" : move._tag === "Each" ? "each" : (methodOf.get(move.action) ?? "")
  const inner = `${indent}  `
  const parts = partsOf(move, inner)
  const line = `${method}(${[quoted(move.name), ...parts.map((part) => (typeof part === "string" ? part : literal(part, "", 0)))].join(", ")})`
  const isShort = parts.every((part) => typeof part !== "string") && !line.includes("\n")
  if (isShort && indent.length + 1 + line.length <= width) return line
  const [only, ...others] = parts
  if (only !== undefined && typeof only !== "string" && others.length === 0) {
    return `${method}(${quoted(move.name)}, ${literal(only, indent, width)})`
  }
  const written = parts.map((part) => (typeof part === "string" ? part : literal(part, inner, inner.length + 1)))
  return `${method}(\n${[quoted(move.name), ...written].map((part) => `${inner}${part}`).join(",\n")}\n${indent})`
}

/** The arguments of a call after the name: values, and the texts of branches. */
const partsOf = (move: NodeMove, indent: string): ReadonlyArray<Schema.JsonObject | string> => {
  const { id, ...fields } = move.node
  const node = { ...(id === undefined ? {} : { id }), ...fields } as Schema.JsonObject
  const more = Object.keys(node).length === 0 ? [] : [node]
  if (move._tag === "Each") return [move.parameters, steps(move.body, indent), ...more]
  if (move._tag === "When") {
    const branches = [
      ...(move.yes.length === 0 ? [] : [`${indent}  yes: ${steps(move.yes, `${indent}  `)}`]),
      ...(move.no.length === 0 ? [] : [`${indent}  no: ${steps(move.no, `${indent}  `)}`])
    ]
    return [move.parameters, branches.length === 0 ? "{}" : `{\n${branches.join(",\n")}\n${indent}}`, ...more]
  }
  const isBareEnd = move.action === "END" && more.length === 0 && Object.keys(move.parameters).length === 0
  return isBareEnd ? [] : [move.parameters, ...more]
}

/** A function that adds moves to the steps before. */
const steps = (moves: ReadonlyArray<Move>, indent: string): string => {
  const [only, ...others] = moves
  if (only === undefined) return "(steps) => steps"
  const written = call(only, indent)
  return others.length === 0 && !written.includes("\n") && indent.length + written.length <= width - 30
    ? `(steps) => steps.${written}`
    : `(steps) =>\n${indent}  steps${chain(moves, `${indent}    `)}`
}

/** The edges of raw nodes, each with the names of the nodes that it connects. */
const rawEdges = (nodes: Schema.Json, edges: Schema.Json): string => {
  const names = new Map(
    (Array.isArray(nodes) ? nodes : []).map((node: Schema.Json) => {
      const { id, name } = Json.objectOf(node)
      return [id, name] as const
    })
  )
  const nameOf = (id: Schema.Json | undefined): string => onOneLine(names.get(id) ?? id ?? "nothing")
  const lines = Object.entries(Json.objectOf(edges)).map(([id, edge]) => {
    const to = Object.values(Json.objectOf(edge)).map(nameOf).join(" or ")
    return `    // ${nameOf(id)}, then ${to === "" ? "nothing" : to}\n    ${keyOf(id)}: ${literal(edge, "    ", 0)}`
  })
  return lines.length === 0 ? literal(edges, "  ", width) : `{\n${lines.join(",\n")}\n  }`
}

const onOneLine = (value: Schema.Json): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/[\s\u2028\u2029]+/g, " ")
