/**
 * Expressions of the graph language: JSONata within limits of work, size and depth, so that no expression blocks a
 * process, exhausts its memory or crashes it.
 */

import { Effect, Result, type Schema } from "effect"
import jsonata from "jsonata"
import * as TextLength from "../../../window/TextLength.ts"
import * as Json from "../../../workspace/Json.ts"
import * as Builtins from "./Builtins.ts"
import * as ComparedTexts from "./ComparedTexts.ts"
import { isFunction, LimitReached, limits, Meter, noteFunction } from "./Meter.ts"
import type { Moment } from "./Moment.ts"
import { check, SafeRegex } from "./SafeRegex.ts"

export interface Expression {
  readonly source: string
  /** The names of the path, for an expression that is only a path; `null` for any other. */
  readonly path: ReadonlyArray<string> | null
  readonly compiled: jsonata.Expression
  /** Compiles the source again, for callers that modify the syntax tree. */
  readonly copy: () => Expression
}

/** Maximum length of the source of an expression, in characters. */
export const maxSource = 50_000

/** Maximum time of an evaluation, in milliseconds. The other limits apply first, even on a slow machine. */
const longestMillis = 20_000

const options = {
  timeout: longestMillis,
  stack: limits.calls,
  sequence: limits.list,
  // It has only the members of a RegExp that JSONata uses.
  RegexEngine: SafeRegex as unknown as typeof RegExp
}

const known = new Map<string, Expression>()
let knownCharacters = 0
const maxKnownCharacters = 300_000
const maxKnownSource = 2_000

/** Parses an expression; fails with the reason if it is invalid. Results are cached by the source. */
export const compile = (source: string): Result.Result<Expression, string> => {
  const before = known.get(source)
  if (before !== undefined) return Result.succeed(before)
  if (!TextLength.fits(source, maxSource)) return Result.fail(`it is longer than ${maxSource} characters`)
  const found = compileNew(source)
  if (Result.isSuccess(found) && source.length <= maxKnownSource) {
    knownCharacters += source.length + 1
    if (knownCharacters > maxKnownCharacters) {
      known.clear()
      knownCharacters = source.length + 1
    }
    known.set(source, found.success)
  }
  return found
}

/** Most expressions are only a path. They are compiled when they are evaluated for the first time. */
const plainPath = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$/
/** Maximum number of names in a path. The compiler recurses for each, so more could exhaust the stack. */
const maxPath = 200

const reserved = new Set(["and", "or", "in", "true", "false", "null", "function"])

const isNames = (path: ReadonlyArray<string>): boolean => !path.some((name) => reserved.has(name))

/** The names of an expression that is only a path; `null` for any other, and for an invalid one. */
export const pathOf = (source: string): ReadonlyArray<string> | null => {
  if (source.length > maxKnownSource || !plainPath.test(source)) return null
  const path = source.split(".")
  return path.length <= maxPath && isNames(path) ? path : null
}

const compileNew = (source: string): Result.Result<Expression, string> => {
  const path = plainPath.test(source) ? source.split(".") : null
  if (path !== null && path.length > maxPath) return Result.fail(`its path has more than ${maxPath} names`)
  if (path !== null && isNames(path)) {
    let compiled: jsonata.Expression | undefined
    return Result.succeed({
      source,
      path,
      get compiled() {
        compiled ??= jsonata(source, options)
        return compiled
      },
      copy: () => expressionOf(source)
    })
  }
  try {
    const compiled = jsonata(source, options)
    const refused = source.includes("/") ? unsafePattern(compiled.ast()) : null
    if (refused !== null) return Result.fail(refused)
    return Result.succeed({ source, path: null, compiled, copy: () => expressionOf(source) })
  } catch (error) {
    return Result.fail(error instanceof RangeError ? "it is nested too deeply" : reasonOf(error))
  }
}

const expressionOf = (source: string): Expression => Result.getOrThrow(compileNew(source))

const unsafePattern = (ast: unknown): string | null => {
  const pending: Array<unknown> = [ast]
  for (const node of pending) {
    if (node instanceof RegExp) {
      const reason = check(node)
      if (reason !== null) return reason
    } else if (typeof node === "object" && node !== null) pending.push(...Object.values(node))
  }
  return null
}

/** The expressions with functions and limits in place, by those that they were made of. */
const prepared = new WeakMap<jsonata.Expression, jsonata.Expression>()

const prepare = async ({ compiled: written, copy, source }: Expression): Promise<jsonata.Expression> => {
  const other = ComparedTexts.mayCompare(source) ? copy().compiled : null
  const compiled = other !== null && ComparedTexts.change(other.ast()) ? other : written
  // `assign` takes symbols too, which its type does not say.
  const assign = compiled.assign as (name: string | symbol, value: unknown) => void
  for (const [name, definition] of await Builtins.load()) assign(name, definition)
  assign(Symbol.for("jsonata.__evaluate_exit"), afterEach)
  prepared.set(written, compiled)
  return compiled
}

/** The kinds of expressions that build new values. The others return values that existed before. */
const building = new Set(["path", "binary", "unary", "function", "apply", "block", "condition", "transform"])

/** Called after each part of an expression. */
const afterEach = (
  { type }: { readonly type: string },
  _input: unknown,
  environment: Builtins.Environment,
  result: unknown
): Promise<void> | void => {
  const meter = Builtins.meterOf(environment)
  meter.charge(1)
  if (type === "lambda" || type === "partial") noteFunction(result)
  else if (building.has(type) && (typeof result === "string" || typeof result === "object")) meter.admit(result)
  if (meter.isTurnOver()) return Effect.runPromise(Effect.yieldNow)
}

/**
 * The value of an expression over the roots that it may read, as JSON: functions and absent values count as `null`.
 * `bindings` are variables of the compiled expression only. Rejects with an error that `reasonOf` describes.
 */
export const evaluate = async (
  expression: Expression,
  roots: unknown,
  moment: Moment,
  bindings: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal
): Promise<Schema.Json> => {
  const compiled = prepared.get(expression.compiled) ?? (await prepare(expression))
  const meter = new Meter(moment, () => signal?.aborted === true)
  const value: unknown = await compiled.evaluate(roots, { ...bindings, [Builtins.meterName]: meter })
  meter.measure(value, 1)
  return toJson(value)
}

const toJson = (value: unknown): Schema.Json => {
  const text = JSON.stringify(value, (_name, one: unknown) => (isFunction(one) ? null : one))
  return text === undefined ? null : Json.parse(text)
}

/** The reason why an expression failed: the message of JSONata, or the exceeded limit. */
export const reasonOf = (error: unknown): string => {
  const over = limitOf(error)
  if (over !== null) return over.message
  const inner = innerOf(error)
  if (inner !== null) return reasonOf(inner)
  const { message } = problemOf(error)
  return (typeof message === "string" ? message : String(error)).slice(0, 500)
}

/** Whether an expression failed because it exceeded a limit. */
export const isOverLimit = (error: unknown): boolean => limitOf(error) !== null

const problemOf = (error: unknown): Partial<Problem> =>
  // Errors of JSONata have these fields; for any other value each field is unknown.
  typeof error === "object" && error !== null ? (error as Partial<Problem>) : {}

/** The error inside of an `$eval` call. */
const innerOf = (error: unknown): unknown => {
  const { code, error: inner } = problemOf(error)
  return code === "D3120" || code === "D3121" ? (inner ?? null) : null
}

const limitOf = (error: unknown): LimitReached | null => {
  const inner = innerOf(error)
  if (inner !== null) return limitOf(inner)
  if (error instanceof LimitReached) return error
  if (error instanceof RangeError) return new LimitReached(/length/i.test(error.message) ? "text" : "nesting")
  const { code } = problemOf(error)
  if (code === "D1011") return new LimitReached("calls")
  if (code === "D1012") return new LimitReached("work")
  return code === "D2014" || code === "D2015" ? new LimitReached("list") : null
}

interface Problem {
  readonly code: unknown
  readonly message: unknown
  readonly error: unknown
}

/**
 * The paths of names that an expression reads, such as `["context", "inputs", "user"]`, each up to its first part that
 * is not constant.
 */
export const reads = (expression: Expression): ReadonlyArray<ReadonlyArray<string>> => {
  if (expression.path !== null) return [expression.path]
  const found: Array<ReadonlyArray<string>> = []
  const pending: Array<unknown> = [expression.compiled.ast()]
  for (const node of pending) {
    if (Array.isArray(node)) pending.push(...node)
    else if (typeof node === "object" && node !== null) {
      if (isPathNode(node)) found.push(fixedNames(node.steps))
      pending.push(...Object.values(node))
    }
  }
  return found
}

/** Whether an expression is a path and nothing else. */
export const isPath = ({ compiled, path }: Expression): boolean => {
  if (path !== null) return true
  const ast: unknown = compiled.ast()
  return typeof ast === "object" && ast !== null && isPathNode(ast)
}

interface Step {
  readonly type: string
  readonly value?: unknown
}

export const isPathNode = (node: object): node is { readonly type: "path"; readonly steps: ReadonlyArray<Step> } =>
  "type" in node && node.type === "path" && "steps" in node && Array.isArray(node.steps)

export const fixedNames = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const end = steps.findIndex((step) => step.type !== "name")
  return (end < 0 ? steps : steps.slice(0, end)).map((step) => String(step.value))
}
