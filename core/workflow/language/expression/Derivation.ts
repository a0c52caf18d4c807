/**
 * How the values that an expression reads reach its result: what shows whether a result that was computed from a secret
 * tells anything but the text of that secret.
 */
import * as Expression from "./Expression.ts"

/**
 * - `whole`: the result has the value in it, as it is or encoded.
 * - `part`: the result may have a part of the value in it, and otherwise depends on it as `whole`.
 * - `decides`: the result depends on the value in any way, such as by a comparison.
 */
export type Way = "whole" | "part" | "decides"

/** A path of names that an expression reads, as of `Expression.reads`, and how its value reaches the result. */
export interface Use {
  readonly path: ReadonlyArray<string>
  readonly way: Way
}

const ranks: Readonly<Record<Way, number>> = { whole: 0, part: 1, decides: 2 }

/** The way that tells most. */
export const worst = (one: Way, other: Way): Way => (ranks[other] > ranks[one] ? other : one)

/**
 * Functions whose result is made of the text of their first arguments, as many as `texts`. The other arguments decide. They
 * fail for no text, and how long they take depends on no more than its length.
 */
const passing: Readonly<Record<string, { readonly texts: number; readonly way: Way }>> = {
  string: { texts: 1, way: "whole" },
  uppercase: { texts: 1, way: "whole" },
  lowercase: { texts: 1, way: "whole" },
  trim: { texts: 1, way: "whole" },
  base64encode: { texts: 1, way: "whole" },
  encodeUrl: { texts: 1, way: "whole" },
  encodeUrlComponent: { texts: 1, way: "whole" },
  join: { texts: 1, way: "whole" },
  append: { texts: 2, way: "whole" },
  merge: { texts: 1, way: "whole" },
  lookup: { texts: 1, way: "part" },
  substring: { texts: 1, way: "part" },
  substringBefore: { texts: 1, way: "part" },
  substringAfter: { texts: 1, way: "part" },
  split: { texts: 1, way: "part" },
  reverse: { texts: 1, way: "part" }
}

/** A part of a syntax tree. Each has some of these fields. */
interface Part {
  readonly type?: string
  readonly value?: unknown
  readonly steps?: ReadonlyArray<Part>
  readonly stages?: ReadonlyArray<Part>
  readonly predicate?: ReadonlyArray<Part>
  readonly group?: unknown
  readonly focus?: unknown
  readonly index?: unknown
  readonly expr?: Part
  readonly lhs?: unknown
  readonly rhs?: unknown
  readonly expressions?: ReadonlyArray<Part>
  readonly arguments?: ReadonlyArray<Part>
  readonly procedure?: Part
}

/** It may read all, and decide by it. */
const anything: Use = { path: [], way: "decides" }

const uses = new WeakMap<Expression.Expression, ReadonlyArray<Use>>()

/** The paths that an expression reads. An empty path stands for all that it could read. */
export const of = (expression: Expression.Expression): ReadonlyArray<Use> => {
  if (expression.path !== null) return [{ path: expression.path, way: "whole" }]
  const known = uses.get(expression)
  if (known !== undefined) return known
  let found: Array<Use> = []
  try {
    // The type of a syntax tree of JSONata does not have all of its fields.
    const tree = expression.compiled.ast() as Part
    follow(tree, "whole", true, found)
    if (redefines(tree)) found = found.map(({ path }) => ({ path, way: "decides" }))
  } catch (error) {
    // It is nested too deeply.
    if (!(error instanceof RangeError)) throw error
    found = Expression.reads(expression).map((path) => ({ path, way: "decides" }))
    found.push(anything)
  }
  uses.set(expression, found)
  return found
}

/** Whether an expression gives a name of one of the functions that pass texts on another meaning. */
const redefines = (tree: Part): boolean => {
  const pending: Array<unknown> = [tree]
  for (const one of pending) {
    if (typeof one !== "object" || one === null || one instanceof RegExp) continue
    const { arguments: given, focus, index, lhs, type } = one as Part
    const named = [focus, index, ...(type === "bind" ? [lhs] : type === "lambda" ? (given ?? []) : [])]
    if (named.some((name) => isPassing(typeof name === "object" ? (name as Part | null)?.value : name))) return true
    pending.push(...Object.values(one))
  }
  return false
}

const isPassing = (name: unknown): boolean => typeof name === "string" && Object.hasOwn(passing, name)

/** Follows a value to what it is made of. `isRoot` where the context value is that of the whole expression. */
const follow = (part: Part, way: Way, isRoot: boolean, found: Array<Use>): void => {
  const chosen = chosenBy(part, way, isRoot, found)
  switch (part.type) {
    case "string":
    case "number":
    case "value":
    case "regex":
      return
    case "path":
      followPath(part, chosen, isRoot, found)
      return
    case "variable":
      if (isContext(part)) {
        if (isRoot || part.value === "$") found.push({ path: [], way: chosen })
      } else if (readsContext.has(String(part.value))) found.push(anything)
      return
    case "block": {
      const [last, ...others] = [...(part.expressions ?? [])].reverse()
      for (const one of others) follow(one, "decides", isRoot, found)
      if (last !== undefined) follow(last, chosen, isRoot, found)
      return
    }
    case "binary":
      followAll([part.lhs, part.rhs], part.value === "&" ? chosen : "decides", isRoot, found)
      return
    case "unary":
      if (part.value === "[") {
        followAll([part.expressions], chosen, isRoot, found)
        return
      }
      if (part.value !== "{") break
      for (const [name, value] of part.lhs as ReadonlyArray<readonly [Part, Part]>) {
        follow(name, "decides", isRoot, found)
        follow(value, chosen, isRoot, found)
      }
      return
    case "function":
      followCall(part.procedure, part.arguments ?? [], chosen, isRoot, found)
      return
    case "apply": {
      const [given, called] = [part.lhs as Part, part.rhs as Part]
      const isCall = called.type === "function"
      const more = isCall ? (called.arguments ?? []) : []
      followCall(isCall ? called.procedure : called, [given, ...more], chosen, isRoot, found)
      return
    }
  }
  const { type } = part
  if (type === "parent" || (isRoot && (type === "wildcard" || type === "descendant"))) found.push(anything)
  followAll(Object.values(part), "decides", isRoot, found)
}

const isContext = ({ type, value }: Part): boolean => type === "variable" && (value === "" || value === "$")

/** Follows each part in a value of any kind. */
const followAll = (value: unknown, way: Way, isRoot: boolean, found: Array<Use>): void => {
  if (Array.isArray(value)) for (const one of value) followAll(one, way, isRoot, found)
  else if (typeof value === "object" && value !== null && !(value instanceof RegExp)) follow(value, way, isRoot, found)
}

/** How a value goes on after the predicates behind it: by a number it is a part, by anything else they decide. */
const chosenBy = (part: Part, way: Way, isRoot: boolean, found: Array<Use>): Way => {
  let chosen = way
  for (const { expr } of [...(part.stages ?? []), ...(part.predicate ?? [])]) {
    chosen = worst(chosen, expr?.type === "number" ? "part" : "decides")
    if (expr !== undefined) follow(expr, "decides", false, found)
  }
  const { focus, group, index } = part
  if (focus === undefined && group === undefined && index === undefined) return chosen
  followAll(group, "decides", isRoot, found)
  return "decides"
}

const followPath = ({ steps = [] }: Part, way: Way, isRoot: boolean, found: Array<Use>): void => {
  const [first, ...others] = steps
  if (first === undefined) return
  let chosen = way
  for (const step of steps) {
    chosen = step.type === "name" || step === first ? chosenBy(step, chosen, false, found) : "decides"
  }
  const names = Expression.fixedNames(steps.map(({ type = "", value }) => ({ type, value })))
  if (first.type === "name") found.push({ path: names, way: chosen })
  else if (isContext(first)) {
    if (isRoot || first.value === "$") found.push({ path: [], way: chosen })
  } else follow(first, "decides", isRoot, found)
  for (const step of others) if (step.type !== "name") follow(step, "decides", false, found)
}

const followCall = (
  called: Part | undefined,
  given: ReadonlyArray<Part>,
  way: Way,
  isRoot: boolean,
  found: Array<Use>
): void => {
  const name = called?.type === "variable" && typeof called.value === "string" ? called.value : null
  const known = name !== null && isPassing(name) ? passing[name] : undefined
  if (called !== undefined && name === null) follow(called, "decides", isRoot, found)
  if (name === "eval" || (isRoot && takesContext(name, given.length))) found.push(anything)
  for (const [index, one] of given.entries()) {
    follow(one, known !== undefined && index < known.texts ? worst(way, known.way) : "decides", isRoot, found)
  }
}

/** Functions that read names, or a text, in the context value. */
const readsContext = new Set(["eval", "lookup", "each", "sift"])

const withoutContext = new Set(["now", "millis", "random"])

/** Whether a call may read the context value in place of an argument that it does not have. */
const takesContext = (name: string | null, count: number): boolean =>
  count === 0 ? !withoutContext.has(name ?? "") : count === 1 && name !== "eval" && readsContext.has(name ?? "")
