/**
 * Has a model read the data that a data model describes.
 */
import { Effect, Result, type Schema } from "effect"
import { nameOf, type Resolve, typeOf } from "../../browser/element/Extraction.ts"
import type { Shot } from "../../browser/vision/Shot.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import { type DataModel, modelOf } from "../../workflow/language/parameters/DataModel.ts"
import * as Json from "../../workspace/Json.ts"
import type { StepFailed } from "../Failure.ts"
import * as ModelRequest from "./ModelRequest.ts"
import * as Prompts from "./Prompts.ts"

export interface Extraction {
  readonly node: Node
  readonly secrets: Secrets
  /** The instructions of the workflow beside its data model; may be empty. */
  readonly prompt: string
  readonly model: string | null
  readonly wanted: RequestedFields
  readonly page: string | null
  readonly shot: Shot | null
}

/** The requested fields, and the values that are known without a request. */
export interface RequestedFields {
  readonly schema: Schema.JsonObject
  readonly known: Schema.JsonObject
}

/**
 * A data model as a JSON schema: every field is there, and may be `null`. Fields that are not selected are left out; those
 * of the first level whose path is an expression are known.
 */
export const requestedFieldsOf = (model: DataModel, resolve: Resolve): RequestedFields => {
  const known: Record<string, Schema.Json> = {}
  const schemaOf = (dataModel: DataModel, isTop: boolean): Schema.JsonObject => {
    const about = typeof dataModel.description === "string" ? { description: dataModel.description } : {}
    const type = typeOf(dataModel)
    if ((dataModel.items ?? null) !== null || type === "array") {
      return { ...about, type: "array", items: schemaOf(modelOf(dataModel.items ?? "string"), false) }
    }
    if ((dataModel.properties ?? null) === null) {
      const leaf = type === "number" || type === "integer" || type === "boolean" ? type : "string"
      return { ...about, type: [leaf, "null"] }
    }
    const properties: Array<readonly [string, Schema.JsonObject]> = []
    for (const [text, given] of Object.entries(dataModel.properties ?? {})) {
      const field = modelOf(given)
      if (field.selected === false) continue
      const name = nameOf(resolve(text))
      const place = isTop && typeof field.path === "string" ? resolve(field.path) : null
      // A known value is of the data model, which is JSON.
      if (place !== null && "known" in place) known[name] = place.known as Schema.Json
      else properties.push([name, schemaOf(field, false)])
    }
    return {
      ...about,
      type: "object",
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
      additionalProperties: false
    }
  }
  const schema = schemaOf({ ...model, properties: model.properties ?? {} }, true)
  return { schema, known }
}

/** The data, which satisfies the schema: nothing that the model adds to it is taken. */
export const data = (reading: Extraction): Effect.Effect<Schema.JsonObject, StepFailed> => {
  const { schema, known } = reading.wanted
  if (Object.keys(Json.objectOf(schema.properties)).length === 0) return Effect.succeed(known)
  const judge = Effect.fnUntraced(function* (
    said: ModelRequest.ModelAnswer
  ): Effect.fn.Return<Result.Result<ModelRequest.Verdict<Schema.JsonObject>, string>> {
    const value = said._tag === "Object" ? fitted(schema, said.value) : null
    const wrong = yield* ModelRequest.violation(schema, value)
    if (wrong !== null || value === null) {
      return Result.fail(`The answer does not satisfy the schema: ${wrong?.instancePath ?? ""} ${wrong?.message ?? ""}`)
    }
    const restored = Json.objectOf(reading.secrets.restore(value))
    return Result.succeed({ value: { ...known, ...restored }, did: `took ${Object.keys(restored).join(", ")}` })
  })
  return ModelRequest.ask({
    node: reading.node,
    secrets: reading.secrets,
    purpose: "read",
    model: reading.model,
    instructions: `${Prompts.reading} The schema: ${JSON.stringify(schema)}`,
    request: reading.prompt === "" ? "Read the data." : reading.prompt,
    page: reading.page,
    shot: reading.shot,
    form: { _tag: "Object", name: "data", schema },
    judge
  })
}

/** A value with nothing in it that the schema does not name; what is missing is `null`. */
const fitted = (schema: Schema.JsonObject, value: Schema.Json): Schema.Json => {
  const { items, properties } = schema
  if (Array.isArray(value) && Json.isObject(items)) return value.map((one) => fitted(items, one))
  if (!Json.isObject(value) || !Json.isObject(properties)) return value
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined
      return [name, given === undefined ? missing(Json.objectOf(field)) : fitted(Json.objectOf(field), given)]
    })
  )
}

const missing = ({ type }: Schema.JsonObject): Schema.Json => (type === "array" ? [] : null)
