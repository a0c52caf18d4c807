/**
 * The expressions of a step, described and evaluated in the sandbox. One that is only a path is read at once: its cost
 * grows with its number of names only.
 */
import { Clock, Context, Effect, Random, type Schema } from "effect"
import * as Expression from "../../workflow/language/expression/Expression.ts"
import type { Described, Outcome } from "../../workflow/sandbox/Operations.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import * as Json from "../../workspace/Json.ts"
import { type Code, StepFailed } from "../Failure.ts"

export interface Readable extends Described {
  readonly source: string
}

const known = new Map<string, Outcome<Described, string>>()
let knownCharacters = 0
const maxKnownCharacters = 1_000_000

/** The paths and functions that an expression reads. Fails for one that cannot be read. */
export const describe = Effect.fnUntraced(function* (source: string): Effect.fn.Return<Readable, StepFailed> {
  const found = known.get(source) ?? (yield* describeNew(source))
  return "failure" in found ? yield* refuse(source, found.failure) : { ...found.success, source }
})

const describeNew = Effect.fnUntraced(function* (
  source: string
): Effect.fn.Return<Outcome<Described, string>, StepFailed> {
  const path = Expression.pathOf(source)
  if (path !== null) return { success: { reads: [path], uses: [{ path, way: "whole" }], reach: [path.slice(0, 2)] } }
  const found = yield* Sandbox.runHere("describe", { source }).pipe(
    Effect.catch((error) => refuse(source, error.message, "TEMPLATE-E0002"))
  )
  knownCharacters += source.length
  if (knownCharacters > maxKnownCharacters) {
    known.clear()
    knownCharacters = source.length
  }
  known.set(source, found)
  return found
})

/**
 * How far the present of expressions is from that of the clock, in milliseconds: a replay is at the time of its record. What
 * waits and measures goes by the clock.
 */
export const ClockOffset = Context.Reference<number>("sluice/core/agent/variables/ClockOffset", {
  defaultValue: () => 0
})

/**
 * The value of an expression. `apart` are values that are read only by paths below `context.inputs` with these first
 * names; they hide what the roots have there; `bindings` are variables, such as `$context`.
 */
export const valueOf = Effect.fnUntraced(function* (
  { reach, source }: Readable,
  given: {
    readonly roots: Schema.Json
    readonly apart?: Schema.JsonObject
    readonly bindings?: Schema.JsonObject
  }
): Effect.fn.Return<Schema.Json, StepFailed> {
  const { apart = {}, bindings = {}, roots } = given
  const path = Expression.pathOf(source)
  const direct = path === null ? undefined : along(path, roots, apart)
  if (direct !== undefined) return direct
  const moment = {
    at: (yield* Clock.currentTimeMillis) + (yield* ClockOffset),
    seed: yield* Random.nextIntBetween(0, 2 ** 32)
  }
  const answered = yield* Sandbox.runHere("evaluate", {
    source,
    roots: within(roots, reach),
    apart,
    bindings,
    moment
  }).pipe(Effect.catch((error) => refuse(source, error.message, "TEMPLATE-E0002")))
  if ("success" in answered) return answered.success
  const { isOverLimit, reason } = answered.failure
  return yield* refuse(source, reason, isOverLimit ? "TEMPLATE-E0002" : "TEMPLATE-E0001")
})

/** The value at a path, `null` if absent; `undefined` where it leads through a list, each element of which it reads. */
const along = (path: ReadonlyArray<string>, roots: Schema.Json, apart: Schema.JsonObject): Schema.Json | undefined => {
  const [root, inputs, name] = path
  const isApart =
    root === "context" && inputs === "inputs" && path.length >= 4 && name !== undefined && Object.hasOwn(apart, name)
  let value: Schema.Json = isApart ? apart : roots
  for (const one of isApart ? path.slice(2) : path) {
    if (Array.isArray(value)) return undefined
    if (!Json.isObject(value) || !Object.hasOwn(value, one)) return null
    value = value[one] ?? null
  }
  return value
}

/** The parts of the roots that an expression can read. */
export const within = (roots: Schema.Json, reach: Described["reach"]): Schema.Json => {
  if (reach === null || !Json.isObject(roots)) return roots
  const parts = new Map<string, Schema.Json>()
  for (const [root, name] of reach) {
    if (root === undefined || !Object.hasOwn(roots, root)) continue
    const whole: Schema.Json = roots[root] ?? null
    const before = parts.get(root)
    if (name === undefined || !Json.isObject(whole)) parts.set(root, whole)
    else if (before !== whole) {
      const part = Object.hasOwn(whole, name) ? { [name]: whole[name] ?? null } : {}
      parts.set(root, { ...(Json.isObject(before) ? before : {}), ...part })
    }
  }
  return Object.fromEntries(parts)
}

/** The failure of a step whose expression cannot be evaluated. */
export const refuse = (
  source: string,
  reason: string,
  code: Code = "TEMPLATE-E0001"
): Effect.Effect<never, StepFailed> =>
  Effect.fail(
    new StepFailed({
      code,
      sentence: `Cannot evaluate the expression {{${shown(source)}}}: ${reason}`,
      original: reason
    })
  )

const shown = (source: string): string => (source.length <= 500 ? source : `${source.slice(0, 500)}…`)
