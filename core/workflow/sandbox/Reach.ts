/** Computes which parts of its roots an expression can read, so that only these are passed to it. */
import * as Expression from "../language/expression/Expression.ts"

/**
 * The parts, each a root and the first name in it, such as `["context", "orders"]`, or the root alone. `null` for an
 * expression that may read any part: by `$`, `$$`, `%`, a wildcard, `$eval`, or a function that uses the context value
 * for a missing argument.
 */
export const of = (expression: Expression.Expression): ReadonlyArray<ReadonlyArray<string>> | null => {
  if (expression.path !== null) return [expression.path.slice(0, 2)]
  const pending: Array<unknown> = [expression.compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null && !(node instanceof RegExp)) {
      if (!isConfined(node)) return null
      pending.push(...Object.values(node))
    }
  }
  return Expression.reads(expression).map((path) => path.slice(0, 2))
}

interface Part {
  readonly type?: unknown
  readonly value?: unknown
  readonly procedure?: unknown
  readonly arguments?: unknown
}

const isConfined = ({ arguments: given, procedure, type, value }: Part): boolean => {
  if (typeof type !== "string") return true
  if (type === "variable") return value !== "" && value !== "$"
  if (type !== "function") return known.has(type)
  // Each part of a syntax tree has these fields or none of them.
  const name = typeof procedure === "object" && procedure !== null ? (procedure as Part).value : undefined
  return typeof name === "string" && functions.has(name) && Array.isArray(given) && given.length > 0
}

/** The kinds of syntax nodes that read only their children. */
const known = new Set([
  "path",
  "name",
  "string",
  "number",
  "value",
  "binary",
  "unary",
  "condition",
  "block",
  "bind",
  "lambda",
  "filter",
  "index",
  "regex"
])

/** Functions that, with at least one argument, do not use the context value. */
const functions = new Set(
  "sum count max min average string substring uppercase lowercase length trim pad contains replace split join number floor ceil round abs sqrt power boolean not exists map filter reduce sort distinct reverse zip append formatNumber formatBase formatInteger parseInteger fromMillis toMillis merge type base64encode base64decode".split(
    " "
  )
)
