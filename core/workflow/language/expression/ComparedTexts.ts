/**
 * Comparisons within expressions: `=`, `!=` and `in` compare texts as a person sees them, as conditions do. The operators
 * of JSONata compare exactly, so what they compare is changed in a copy of the syntax tree.
 */
import { seen } from "../format/SeenText.ts"

/** The name of the function that is put around what is compared. It is not a valid name, so no expression can call it. */
export const functionName = "the seen text"

/** A text as a person sees it; within a list, each of its texts. Any other value is as it is. */
export const seenValue = (value: unknown): unknown =>
  typeof value === "string" ? seen(value) : Array.isArray(value) ? value.map(seenValue) : value

/** Whether a source may have such an operator. */
export const mayCompare = (source: string): boolean => /[^:<>]=|\bin\b/.test(source)

interface Node {
  readonly type?: unknown
  readonly value?: unknown
  readonly position?: unknown
  lhs?: unknown
  rhs?: unknown
}

const operators: ReadonlySet<unknown> = new Set(["=", "!=", "in"])

/** Changes the comparisons of a syntax tree; returns whether there are any. */
export const change = (tree: unknown): boolean => {
  const pending: Array<unknown> = [tree]
  const comparisons: Array<Node> = []
  for (const node of pending) {
    if (typeof node !== "object" || node === null || node instanceof RegExp) continue
    pending.push(...Object.values(node))
    // A node of the syntax tree; each field is an unknown value.
    const part = node as Node
    if (part.type === "binary" && operators.has(part.value)) comparisons.push(part)
  }
  for (const node of comparisons) {
    node.lhs = wrapped(node.lhs, node.position)
    node.rhs = wrapped(node.rhs, node.position)
  }
  return comparisons.length > 0
}

const constant: ReadonlySet<unknown> = new Set(["number", "value"])

const wrapped = (operand: unknown, position: unknown): unknown => {
  // As above.
  const { type, value } = (operand ?? {}) as Node
  if (type === "string" && typeof value === "string") return { ...(operand as object), value: seen(value) }
  if (constant.has(type)) return operand
  const procedure = { type: "variable", value: functionName, position }
  return { type: "function", value: "(", position, arguments: [operand], procedure }
}
