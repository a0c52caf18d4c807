/**
 * The output of a run: its extracted data, restricted to the output schema of its workflow and validated against it.
 */
import { Effect, type Schema } from "effect"
import * as Sandbox from "../sandbox/Sandbox.ts"

/** Keeps only the fields of `data` that are properties of the schema. Without properties, keeps all. */
export const project = (schema: Schema.JsonObject, data: Schema.JsonObject): Schema.JsonObject => {
  const properties = schema.properties
  if (typeof properties !== "object" || properties === null || Object.keys(properties).length === 0) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(properties, name)))
}

/** The first violation of the schema, as one sentence; `null` for valid data. */
export const mismatch = Effect.fnUntraced(function* (schema: Schema.JsonObject, data: Schema.Json) {
  const wrong = yield* Sandbox.runHere("violation", { schema, value: data }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ instancePath: "", message: `cannot be checked: ${message}` }))
  )
  if (wrong === null) return null
  return `The data of the run does not satisfy output_schema: ${wrong.instancePath === "" ? "it" : wrong.instancePath} ${wrong.message}`
})
