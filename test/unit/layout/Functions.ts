/**
 * How long functions are, read with a parser.
 */
import { parseSync } from "rolldown/utils"
import type { Source } from "../../support/Source.ts"

/** A function of more lines than this does more than one thing. */
export const mostLines = 120

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

export const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression"

/** The functions within a node, without those within them. */
const functionsIn = (node: Node): ReadonlyArray<Node> =>
  childrenOf(node).flatMap((child) => (isFunction(child) ? [child] : functionsIn(child)))

const field = (node: Node | undefined, name: string): unknown =>
  node === undefined ? undefined : (node as unknown as Readonly<Record<string, unknown>>)[name]

/** The value that a function returns at its end: of an arrow without a body, its expression. */
const returned = (one: Node): Node | undefined => {
  const body = field(one, "body")
  if (!isNode(body) || body.type !== "BlockStatement") return isNode(body) ? body : undefined
  const last = (field(body, "body") as ReadonlyArray<Node>).at(-1)
  const argument = last?.type === "ReturnStatement" ? field(last, "argument") : undefined
  return isNode(argument) ? argument : undefined
}

/** Whether an expression is an object with methods, alone or handed to something such as `Service.of`. */
const listsMethods = (expression: Node | undefined): boolean => {
  if (expression === undefined) return false
  if (expression.type === "ObjectExpression") return functionsIn(expression).length > 0
  if (expression.type !== "CallExpression") return false
  const parts = [...(field(expression, "arguments") as ReadonlyArray<Node>), field(expression, "callee")]
  return parts.filter(isNode).some((part) => listsMethods(part) || isFunctionThatListsMethods(part))
}

const isFunctionThatListsMethods = (part: Node): boolean => isFunction(part) && listsMethods(returned(part))

/**
 * The functions of more than 120 lines, as `path:line (lines)`. Aside from those that make a service: they return an object
 * of methods, and what they do besides, outside the functions in them, fits into 120 lines too.
 */
export const longFunctions = ({ path, text }: Source): ReadonlyArray<string> => {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineAt = (offset: number): number => {
    const after = starts.findIndex((start) => start > offset)
    return after < 0 ? starts.length : after
  }
  const lines = ({ end, start }: Node): number => lineAt(end) - lineAt(start) + 1
  const own = (one: Node): number => lines(one) - functionsIn(one).reduce((sum, inner) => sum + lines(inner) - 1, 0)
  const isLong = (one: Node): boolean =>
    lines(one) > mostLines && (!isFunctionThatListsMethods(one) || own(one) > mostLines)
  const all = (node: Node): ReadonlyArray<Node> => functionsIn(node).flatMap((one) => [one, ...all(one)])
  return all(parseSync(path, text).program as unknown as Node)
    .filter(isLong)
    .map((one) => `${path}:${lineAt(one.start)} (${lines(one)})`)
}
