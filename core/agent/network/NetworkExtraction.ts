/**
 * Reads what a data model describes from an answer of the network.
 */
import { Effect, type Schema } from "effect"
import * as ReadValue from "../../browser/element/ReadValue.ts"
import { Meter } from "../../workflow/language/expression/Meter.ts"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"
import { type DataModel, modelOf } from "../../workflow/language/parameters/DataModel.ts"
import { expressionOf } from "../../workflow/language/parameters/Network.ts"
import * as Json from "../../workspace/Json.ts"
import type { StepFailed } from "../Failure.ts"

/** How texts of the model are evaluated that have expressions over the context, and expressions over the answer. */
export interface Resolve {
  readonly text: (text: string) => Effect.Effect<Schema.Json, StepFailed>
  readonly over: (source: string, value: Schema.Json) => Effect.Effect<Schema.Json, StepFailed>
}

/** Takes what is unsure about a value. */
export type Note = (doubt: ReadValue.Doubt) => void

/** The value of a model. Paths are relative to what the path around them found; a field without one is found by its name. */
export const read = (
  model: DataModel,
  value: Schema.Json,
  resolve: Resolve,
  note: Note,
  at = ""
): Effect.Effect<Schema.Json, StepFailed> =>
  Effect.gen(function* () {
    const found = yield* place(model.path ?? null, value, resolve)
    const type =
      typeof model.type === "object" && model.type !== null ? model.type.find((one) => one !== "null") : model.type
    if ((model.items ?? null) !== null || type === "array") {
      const rows = Array.isArray(found) ? found : found === null ? [] : [found]
      const item = modelOf(model.items ?? {})
      return yield* Effect.forEach(rows, (row) => read(item, row, resolve, note, at))
    }
    if (typeof model.properties === "object" && model.properties !== null) {
      const fields: Record<string, Schema.Json> = {}
      for (const [name, field] of Object.entries(model.properties)) {
        const inner = modelOf(field)
        if (inner.selected === false) continue
        const title = name.includes("{{") ? Comparison.asText(yield* resolve.text(name)) : name
        const own = typeof inner.path === "string" ? found : Json.isObject(found) ? (ownOf(found, title) ?? null) : null
        fields[title] = yield* read(inner, own, resolve, note, at === "" ? title : `${at}.${title}`)
      }
      return fields
    }
    const { kind = "value", reason, value: made } = typed(found, type ?? undefined, model)
    if (reason !== null) note({ field: at, kind, text: Comparison.asText(found), value: made, reason })
    return made
  })

const plainName = /^[A-Za-z_]\w*$/

const place = Effect.fnUntraced(function* (path: string | null, value: Schema.Json, resolve: Resolve) {
  if (path === null || path.trim() === "$") return value
  if (path.includes("{{")) {
    const known = yield* resolve.text(path)
    const isWhole = /^\s*\{\{[^{}]*\}\}\s*$/.test(path)
    return isWhole ? known : yield* resolve.over(expressionOf(Comparison.asText(known)), value)
  }
  if (plainName.test(path) && Json.isObject(value)) return ownOf(value, path) ?? null
  return yield* resolve.over(expressionOf(path), value)
})

/** A value as its type says, where it can be one. */
const typed = (value: Schema.Json, type: string | undefined, { format }: DataModel): ReadValue.Settled => {
  const own = typeof format === "object" && format !== null ? format : undefined
  if (value === null) return { value, reason: null }
  if (type === "string") return ReadValue.ofJson(Comparison.asText(value), type, own)
  if (type === "number" || type === "integer" || type === "boolean") return ReadValue.ofJson(value, type, own)
  return { value, reason: null }
}

/** Whether a value is within the limits of the values of a run. */
export const isWithinLimits = (value: Schema.Json): boolean => {
  try {
    new Meter({ at: 0, seed: 0 }).measure(value, 1)
    return true
  } catch {
    return false
  }
}

const ownOf = (object: Schema.JsonObject, name: string): Schema.Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
