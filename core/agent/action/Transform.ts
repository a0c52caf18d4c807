import { Effect, type Schema } from "effect"
import { namesIn, type Operation } from "../../workflow/language/parameters/TransformParameters.ts"
import * as Json from "../../workspace/Json.ts"
import { StepFailed } from "../Failure.ts"
import type { Action, StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as SecretWays from "../variables/SecretWays.ts"

/** Changes the context by a list of operations. The context stays unchanged unless all of them succeed. */
export const transform: Action<"TRANSFORM", "navigation"> = Effect.fnUntraced(function* ({ parameters }, context) {
  let { memory } = context
  for (const [index, operation] of parameters.operations.entries()) {
    memory = yield* applied(operation, index + 1, { ...context, memory })
  }
  return { _tag: "Rewrote", data: memory.data, answers: memory.answers }
})

const applied = Effect.fnUntraced(function* (
  operation: Operation,
  position: number,
  { memory, page }: StepContext<"navigation">
) {
  const { optional, target, type } = operation
  const names = namesIn(target)
  if (type === "DELETE") return changed(memory, names, () => undefined)
  const value = yield* Memory.evaluateExpression(operation.value ?? "", memory, page, "guarded")
  const used = yield* SecretUse.usedByExpression(operation.value ?? "", memory)
  memory.credentials.secrets.noteMade(
    names[0] ?? "",
    used.map(({ alias }) => alias),
    value
  )
  const secret = yield* SecretWays.wayOfExpression(operation.value ?? "", memory)
  if (secret !== null) memory.credentials.secrets.noteKept(names, secret.way === "part")
  if (type === "SET") {
    // Whether a part of a secret is missing tells how long it is.
    if (value === null && secret === null && (yield* Memory.isMissing(operation.value ?? "", memory, page))) {
      if (optional === true) return memory
      return yield* refuse(
        `operation ${position} sets ${target} to a value that is missing: expected "optional": true where it may be`
      )
    }
    return changed(memory, names, () => value)
  }
  const before = valueAt(memory, names)
  if (type === "APPEND") {
    if (before !== null && !Array.isArray(before)) {
      return yield* refuse(`operation ${position} appends to ${target}, which is not a list`)
    }
    return changed(memory, names, () => [...(before ?? []), ...(Array.isArray(value) ? value : [value])])
  }
  if (!Json.isObject(value) || (before !== null && !Json.isObject(before))) {
    return yield* refuse(`operation ${position} merges into ${target}, and one of the two is not an object`)
  }
  return changed(memory, names, () => Memory.merged(before ?? {}, value))
})

const refuse = (reason: string) =>
  new StepFailed({ code: "TRANSFORM-E0001", sentence: `Cannot transform the context: ${reason}`, original: reason })

const valueAt = ({ answers, data }: Memory.Memory, [first = "", ...rest]: ReadonlyArray<string>): Schema.Json => {
  let value: Schema.Json = ownOf(answers, first) ?? ownOf(data, first) ?? null
  for (const name of rest) value = Json.isObject(value) ? (ownOf(value, name) ?? null) : null
  return value
}

const ownOf = (object: Schema.JsonObject, name: string): Schema.Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Changes a person's answer in place, so that it stays hidden as before. */
const changed = (
  memory: Memory.Memory,
  names: ReadonlyArray<string>,
  change: () => Schema.Json | undefined
): Memory.Memory => {
  const isAnswer = Object.hasOwn(memory.answers, names[0] ?? "")
  return isAnswer
    ? { ...memory, answers: written(memory.answers, names, change) }
    : { ...memory, data: written(memory.data, names, change) }
}

/** Missing objects on a path are created, except when the operation removes something. */
const written = (
  object: Schema.JsonObject,
  [name = "", ...rest]: ReadonlyArray<string>,
  change: () => Schema.Json | undefined
): Schema.JsonObject => {
  const before = ownOf(object, name)
  if (rest.length > 0 && !Json.isObject(before) && change() === undefined) return object
  const inner = Json.isObject(before) ? before : {}
  const next = rest.length === 0 ? change() : written(inner, rest, change)
  if (next === undefined) {
    return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
  }
  return { ...object, [name]: next }
}
