/**
 * Finds calls of functions that do not exist, when the workflow is saved. Otherwise such a call would fail only in a
 * run.
 */
import * as Json from "../../../workspace/Json.ts"
import { functionNames } from "./Builtins.ts"
import type { Expression } from "./Expression.ts"

const builtIn: ReadonlySet<string> = new Set(functionNames)

/** The names of called functions that neither the language nor the expression defines, each once. */
export const of = (expression: Expression): ReadonlyArray<string> => {
  if (expression.path !== null || !expression.source.includes("$")) return []
  const called = new Set<string>()
  const defined = new Set<string>()
  const pending: Array<unknown> = [expression.compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null) {
      noteNames(node, called, defined)
      pending.push(...Object.values(node))
    }
  }
  return [...called].filter((name) => !builtIn.has(name) && !defined.has(name))
}

/** The parts of a node of the syntax tree that name a variable. */
interface Part {
  readonly type?: unknown
  readonly procedure?: unknown
  readonly lhs?: unknown
  readonly rhs?: unknown
  readonly arguments?: unknown
  readonly focus?: unknown
  readonly index?: unknown
}

const noteNames = (node: object, called: Set<string>, defined: Set<string>): void => {
  // A node of the syntax tree; each field is an unknown value.
  const part = node as Part
  const note = (names: Set<string>, value: unknown) => {
    const name = variableOf(value)
    if (name !== null) names.add(name)
  }
  if (part.type === "function" || part.type === "partial") note(called, part.procedure)
  if (part.type === "apply") note(called, part.rhs)
  if (part.type === "bind") note(defined, part.lhs)
  if (part.type === "lambda" && Array.isArray(part.arguments)) for (const one of part.arguments) note(defined, one)
  for (const name of [part.focus, part.index]) if (typeof name === "string") defined.add(name)
}

const variableOf = (part: unknown): string | null => {
  if (!Json.isObject(part)) return null
  const { type, value: name } = part
  return type === "variable" && typeof name === "string" && name !== "" && name !== "$" ? name : null
}
