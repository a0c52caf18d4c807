/** The parameters of TRANSFORM: operations on the context, which run in order. */
import { Result, Schema } from "effect"
import * as Expression from "../expression/Expression.ts"
import { filled, flag } from "./Fields.ts"

/** An expression without braces. */
export const Jsonata = filled.check(
  Schema.makeFilter((source) => {
    const compiled = Expression.compile(source.trim())
    return Result.isFailure(compiled) ? `Cannot read the expression: ${compiled.failure}` : undefined
  })
)

const name = "[A-Za-z_$][\\w$-]*"
const target = new RegExp(`^context(\\.${name}){1,32}$`)
const reserved = new Set(["inputs", "runtime"])
const dangerous = new Set(["__proto__", "constructor", "prototype"])

/** A place in the context that a node may write to, such as `context.user.name`. */
export const Target = filled.check(
  Schema.makeFilter((text) => {
    if (!target.test(text)) return 'Expected a place in the context, such as "context.total" or "context.user.name"'
    const names = text.split(".").slice(1)
    if (reserved.has(names[0] ?? "")) return `context.${names[0]} cannot be changed: expected another name`
    return names.some((one) => dangerous.has(one))
      ? "Expected names other than __proto__, constructor and prototype"
      : undefined
  })
)

/** The names in a target, after `context`. */
export const namesIn = (text: string): ReadonlyArray<string> => text.split(".").slice(1)

const Operation = Schema.Struct({
  type: Schema.Literals(["SET", "DELETE", "MERGE", "APPEND"]),
  target: Target,
  value: Schema.optionalKey(Schema.NullOr(Jsonata)),
  optional: flag
}).check(
  Schema.makeFilter(({ type, value }) =>
    type === "DELETE" || (value !== undefined && value !== null)
      ? undefined
      : { path: ["value"], issue: `Expected an expression for ${type}` }
  )
)
export type Operation = typeof Operation.Type

export const transform = {
  TRANSFORM: Schema.Struct({
    operations: Schema.Array(Operation).check(Schema.isMinLength(1), Schema.isMaxLength(200)),
    error_message: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
} as const
