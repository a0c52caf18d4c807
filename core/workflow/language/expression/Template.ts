/** Texts that contain `{{ expression }}`: JSONata over the context of a run. */
import { Result } from "effect"
import * as Expression from "./Expression.ts"
import type { Moment } from "./Moment.ts"

export type { Expression } from "./Expression.ts"

/** A parsed template. `whole` if the text is exactly one expression; its value then keeps its type. */
export interface Template {
  readonly text: string
  readonly parts: ReadonlyArray<string | Expression.Expression>
  readonly whole: boolean
}

/** An expression of a text that cannot be parsed. */
export interface Unreadable {
  readonly source: string
  readonly reason: string
}

export interface Parsed {
  readonly template: Template
  readonly unreadable: ReadonlyArray<Unreadable>
}

/** Maximum number of expressions in one text. */
const maxExpressions = 1_000

/** Returns whether a text has an expression in it. */
export const isTemplate = (text: string): boolean => text.includes("{{")

const known = new Map<string, Parsed>()
let knownCharacters = 0
const maxKnownCharacters = 1_000_000
const maxKnownText = 2_000

/**
 * Parses a text and lists the expressions that cannot be parsed. A text without expressions is also a template. Recent
 * results are cached.
 */
export const parse = (text: string): Parsed => {
  const before = known.get(text)
  if (before !== undefined) return before
  const parsed = parseNew(text)
  if (text.length <= maxKnownText) {
    knownCharacters += text.length + 1
    if (knownCharacters > maxKnownCharacters) {
      known.clear()
      knownCharacters = text.length + 1
    }
    known.set(text, parsed)
  }
  return parsed
}

const parseNew = (text: string): Parsed => {
  const { excess, parts: written, whole } = split(text)
  const unreadable: Array<Unreadable> = []
  const parts = written.flatMap((part): ReadonlyArray<string | Expression.Expression> => {
    if (typeof part === "string") return [part]
    const compiled = Expression.compile(part.source)
    if (Result.isSuccess(compiled)) return [compiled.success]
    unreadable.push({ source: part.source.slice(0, 200), reason: compiled.failure })
    return []
  })
  if (excess !== null) unreadable.push(excess)
  return { template: { text, parts, whole: whole && unreadable.length === 0 }, unreadable }
}

/** A text split into literal parts and expressions, which are not parsed. */
export interface Split {
  readonly parts: ReadonlyArray<string | { readonly source: string }>
  readonly whole: boolean
  /** The first expression over the maximum number; `null` if there is none. */
  readonly excess: Unreadable | null
}

export const split = (text: string): Split => {
  const parts: Array<string | { readonly source: string }> = []
  let excess: Unreadable | null = null
  let end = 0
  let count = 0
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", end)) {
    const close = text.indexOf("}}", open + 2)
    if (close < 0) break
    if (open > end) parts.push(text.slice(end, open))
    end = close + 2
    const source = text.slice(open + 2, close).trim()
    if (++count > maxExpressions) {
      excess = { source: source.slice(0, 100), reason: `one text may have at most ${maxExpressions} expressions` }
      break
    }
    parts.push({ source })
  }
  if (end < text.length) parts.push(text.slice(end))
  return { parts, whole: parts.length === 1 && typeof parts[0] !== "string", excess }
}

/** The rest of a text from a `{{` without `}}`, which is literal text; `null` if every `{{` is closed. */
export const unclosed = (text: string): string | null => {
  const last = split(text).parts.at(-1)
  const at = typeof last === "string" ? last.indexOf("{{") : -1
  return typeof last !== "string" || at < 0 ? null : last.slice(at)
}

export const reads = Expression.reads
export const isPath = Expression.isPath

/** The variable with the values of `readApart`. It is not a valid name, so no expression can refer to it. */
const apart = "read apart"

/**
 * The expression, where paths that begin with `context.inputs` and one of the names are read from the values given to
 * `evaluate`, even if the context has other values there. Everything else that reads `context.inputs` does not find
 * them.
 */
export const readApart = (expression: Expression.Expression, names: ReadonlySet<string>): Expression.Expression => {
  const copy = expression.copy()
  const pending: Array<unknown> = [copy.compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null) {
      pending.push(...Object.values(node))
      if (!Expression.isPathNode(node) || node.steps.length < 4) continue
      const [root, inputs, name] = Expression.fixedNames(node.steps)
      if (root === "context" && inputs === "inputs" && name !== undefined && names.has(name)) {
        Object.assign(node, { steps: [{ type: "variable", value: apart, position: 0 }, ...node.steps.slice(2)] })
      }
    }
  }
  return copy
}

/** The value of an expression as JSON. `values` are read by the paths that `readApart` rewrote. */
export const evaluate = (
  expression: Expression.Expression,
  roots: object,
  moment: Moment,
  values: Readonly<Record<string, unknown>>,
  signal?: AbortSignal
): ReturnType<typeof Expression.evaluate> => Expression.evaluate(expression, roots, moment, { [apart]: values }, signal)

/** See `Expression.reasonOf`. */
export const reasonOf = Expression.reasonOf

/** See `Expression.isOverLimit`. */
export const isOverLimit = Expression.isOverLimit
