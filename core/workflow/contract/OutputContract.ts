/**
 * The output of a run: the data that it gathered, restricted to the output schema of its workflow and checked by it.
 */
import { Effect, type Schema } from "effect"
import * as Sandbox from "../sandbox/Sandbox.ts"

/**
 * Keeps of `data` what the schema has properties for; all of it where it has none.
 */
export const project = (schema: Schema.JsonObject, data: Schema.JsonObject): Schema.JsonObject => {
  const properties = schema.properties
  if (typeof properties !== "object" || properties === null || Object.keys(properties).length === 0) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(properties, name)))
}

/** In what way data breaks the schema, as one sentence; `null` when it does not. */
export const mismatch = Effect.fnUntraced(function* (schema: Schema.JsonObject, data: Schema.JsonObject) {
  const wrong = yield* Sandbox.runHere("violation", { schema, value: data }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ instancePath: "", message: `cannot be checked: ${message}` }))
  )
  if (wrong === null) return null
  return `The data of the run does not satisfy output_schema: ${wrong.instancePath === "" ? "it" : wrong.instancePath} ${wrong.message}`
})
