/**
 * The expressions in the parameters of a node: within braces in texts, and parameters that are expressions without
 * braces.
 */
import { Result } from "effect"
import * as Expression from "../expression/Expression.ts"
import * as Template from "../expression/Template.ts"
import * as KeyTokens from "../parameters/KeyTokens.ts"
import * as Expect from "./Expect.ts"
import type { Node } from "./Graph.ts"
import * as RunIf from "./RunIf.ts"

/** An expression, its path in the document, and the reason if it cannot be parsed. */
export interface NodeExpression {
  readonly at: string
  readonly source: string
  readonly read: Result.Result<Expression.Expression, string>
}

/** Every expression over the context. Expressions over an answer of the network are excluded. */
export const of = (node: Node, path: string): ReadonlyArray<NodeExpression> => [
  ...texts(node.parameters, path).flatMap(({ at, text }) => {
    const pieces = node.action === "INPUT_TEXT" && at === `${path}.text` ? KeyTokens.split(text) : []
    const keys = pieces.flatMap(
      (piece): ReadonlyArray<NodeExpression> =>
        piece._tag === "Unknown" ? [{ at, source: piece.source, read: Result.fail(piece.reason) }] : []
    )
    const { template, unreadable } = Template.parse(pieces.length === 0 ? text : KeyTokens.without(text))
    return [
      ...keys,
      ...unreadable.map(({ reason, source }): NodeExpression => ({ at, source, read: Result.fail(reason) })),
      ...template.parts.flatMap(
        (part): ReadonlyArray<NodeExpression> =>
          typeof part === "string" ? [] : [{ at, source: part.source, read: Result.succeed(part) }]
      )
    ]
  }),
  ...bare(node, path).map(({ at, source }) => ({ at, source, read: Expression.compile(source.trim()) }))
]

const known = new WeakMap<Node, ReadonlyArray<ReadonlyArray<string>>>()

/** The paths that the expressions of a node read. */
export const reads = (node: Node): ReadonlyArray<ReadonlyArray<string>> =>
  known.get(node) ?? of(node, "").flatMap(({ read }) => (Result.isSuccess(read) ? Expression.reads(read.success) : []))

/** Caches the paths that another thread has found in the expressions of a node. */
export const noteReads = (node: Node, paths: ReadonlyArray<ReadonlyArray<string>>): void => {
  known.set(node, paths)
}

const bare = (node: Node, path: string): ReadonlyArray<{ readonly at: string; readonly source: string }> => [
  ...(RunIf.of(node)?.conditions ?? []).map(({ field }, index) => ({
    at: `${path}.run_if.conditions[${index}].field`,
    source: field
  })),
  ...(Expect.of(node)?.conditions ?? []).flatMap((condition, index) =>
    condition.type === "variable" ? [{ at: `${path}.expect.conditions[${index}].field`, source: condition.field }] : []
  ),
  ...ofAction(node, path)
]

const ofAction = (node: Node, path: string) => {
  if (node.action === "TRANSFORM") {
    return node.parameters.operations.flatMap(({ type, value }, index) =>
      type === "DELETE" || typeof value !== "string"
        ? []
        : [{ at: `${path}.operations[${index}].value`, source: value }]
    )
  }
  if (node.action !== "API_FLOW") return []
  const map = node.parameters.field_json_map ?? {}
  const at = `${path}.field_json_map`
  return typeof map === "string"
    ? [{ at, source: map }]
    : Object.entries(map).map(([name, source]) => ({ at: `${at}.${name}`, source }))
}

/** Every text with an expression in a JSON value, with its path. */
export const texts = (value: unknown, path: string): ReadonlyArray<{ readonly at: string; readonly text: string }> => {
  const found: Array<{ readonly at: string; readonly text: string }> = []
  const pending = [{ value, path }]
  for (const { path: at, value: one } of pending) {
    if (typeof one === "string") {
      if (Template.isTemplate(one)) found.push({ at, text: one })
    } else if (Array.isArray(one)) {
      one.forEach((element: unknown, index) => {
        if (couldHold(element)) pending.push({ value: element, path: `${at}[${index}]` })
      })
    } else if (typeof one === "object" && one !== null) {
      for (const [key, field] of Object.entries(one)) {
        if (Template.isTemplate(key)) found.push({ at, text: key })
        if (couldHold(field)) pending.push({ value: field, path: `${at}.${key}` })
      }
    }
  }
  return found
}

const couldHold = (value: unknown): boolean =>
  typeof value === "string" ? Template.isTemplate(value) : typeof value === "object" && value !== null

/** The names of the inputs of a run that a node reads, each once; an empty name where an expression reads all of them. */
export const inputs = (node: Node): ReadonlyArray<string> => [
  ...new Set(
    reads(node).flatMap(([root, name, input]) => (root === "context" && name === "inputs" ? [input ?? ""] : []))
  )
]
