/**
 * Texts with `{{ expression }}` in them, where an expression is JSONata over the context of a run.
 */
import jsonata from "jsonata"

/** A template, read. `whole` when the text is one expression and nothing else, which keeps the type of its value. */
export interface Template {
  readonly text: string
  readonly parts: ReadonlyArray<string | Expression>
  readonly whole: boolean
}

export interface Expression {
  readonly source: string
  readonly compiled: jsonata.Expression
}

/** Raised for a text whose expression cannot be read. */
export interface Unreadable {
  readonly source: string
  readonly reason: string
}

/** What an expression may cost: wall time in milliseconds, depth of calls, length of what it builds. */
const limits: jsonata.JsonataOptions = { timeout: 1_000, stack: 500, sequence: 1_000_000 }

const marks = /\{\{([\s\S]*?)\}\}/g

/** Tells whether a text has an expression in it. */
export const isTemplate = (text: string): boolean => text.includes("{{")

/** Reads a text. The expressions that cannot be read are listed; a text without any is a template as well. */
export const parse = (
  text: string
): { readonly template: Template; readonly unreadable: ReadonlyArray<Unreadable> } => {
  const parts: Array<string | Expression> = []
  const unreadable: Array<Unreadable> = []
  let end = 0
  for (const found of text.matchAll(marks)) {
    if (found.index > end) parts.push(text.slice(end, found.index))
    end = found.index + found[0].length
    const source = (found[1] ?? "").trim()
    try {
      parts.push({ source, compiled: jsonata(source, limits) })
    } catch (error) {
      unreadable.push({ source, reason: reasonOf(error) })
    }
  }
  if (end < text.length) parts.push(text.slice(end))
  const whole = parts.length === 1 && typeof parts[0] !== "string"
  return { template: { text, parts, whole }, unreadable }
}

/** The paths of names that an expression reads, such as `["context", "inputs", "user"]`, each as far as it is fixed. */
export const reads = (expression: Expression): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const pending: Array<unknown> = [expression.compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null) {
      if (isPath(node)) found.push(fixedNames(node.steps))
      pending.push(...Object.values(node))
    }
  }
  return found
}

/** The name by which `readFrom` refers to a value. Nothing that is written can refer to it. */
const apart = "read apart"

/**
 * Lets the paths of an expression that begin with `context.inputs` and one of the names be read from the values given to
 * `evaluate`, whatever else is in the context. Everything else that reads `context.inputs` does not find them.
 */
export const readApart = ({ compiled }: Expression, names: ReadonlySet<string>): void => {
  const pending: Array<unknown> = [compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null) {
      pending.push(...Object.values(node))
      if (!isPath(node) || node.steps.length < 4) continue
      const [root, inputs, name] = fixedNames(node.steps)
      if (root === "context" && inputs === "inputs" && name !== undefined && names.has(name)) {
        Object.assign(node, { steps: [{ type: "variable", value: apart, position: 0 }, ...node.steps.slice(2)] })
      }
    }
  }
}

/** The value of an expression. `values` are those that `readApart` speaks of. */
export const evaluate = (
  { compiled }: Expression,
  roots: object,
  values: Readonly<Record<string, unknown>>
): Promise<unknown> => compiled.evaluate(roots, { [apart]: values })

/** Why an expression failed, in the words of its language. */
export const reasonOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)

interface Step {
  readonly type: string
  readonly value?: unknown
}

const isPath = (node: object): node is { readonly type: "path"; readonly steps: ReadonlyArray<Step> } =>
  "type" in node && node.type === "path" && "steps" in node && Array.isArray(node.steps)

const fixedNames = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const end = steps.findIndex((step) => step.type !== "name")
  return (end < 0 ? steps : steps.slice(0, end)).map((step) => String(step.value))
}
