/** The HTTP requests of n8n as steps of an API_FLOW. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { Data } from "./N8nData.ts"
import { expressions, listOf, type Source } from "./N8nSource.ts"
import { lost, type Step, step, written } from "./Recording.ts"

type Pairs = ReadonlyArray<{ readonly name: string; readonly value: string }>

/** Thrown for a part that is not translated, with the reason. */
class Untranslated extends Error {}

export const request = ({ credentials, name, parameters, version, where }: Source, data: Data): Step => {
  const [credential] = credentials
  if (credential !== undefined || (parameters.authentication ?? "none") !== "none") {
    const called = credential === undefined ? "" : ` "${credential.slice(0, 80)}"`
    return lost(
      where,
      `It signs in with the credential${called} of n8n: add one to the vault, and an API_FLOW that sends it`
    )
  }
  try {
    const method = String((version < 3 ? parameters.requestMethod : parameters.method) ?? "GET").toUpperCase()
    if (!/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method)) throw new Untranslated(expressions)
    const url = data.text(parameters.url)
    if (url === null) throw new Untranslated(expressions)
    const address = written(data.withoutSecrets(url))
    if (/^https?:\/\/[^/?#{]*@/.test(address))
      throw new Untranslated("Its address has a user or a password: add an API_FLOW without them")
    const query = pairs(parameters, "Query", data)
    const headers = pairs(parameters, "Header", data)
    const sent = {
      id: "request",
      method,
      url: address,
      ...(query.length === 0 ? {} : { query }),
      ...(headers.length === 0 ? {} : { headers }),
      ...body(parameters, version, method, data)
    }
    const variable = data.variable(name)
    data.keep(name, { item: `context.${variable}`, isList: true, fields: new Map() })
    const flow = { steps: [sent], field_json_map: { [variable]: "response.body" } }
    return step(
      where,
      [{ _tag: "Do", action: "API_FLOW", name: name.slice(0, 80) || "Send a request", parameters: flow }],
      [
        `Its answer is the variable ${variable}. Where it is a list, n8n does what follows for each element: add a LOOP over it`
      ]
    )
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error
    return lost(where, error.message)
  }
}

const objectIn = (value: Schema.Json | undefined): Schema.JsonObject => {
  try {
    const parsed = typeof value === "string" ? Json.parse(value) : value
    if (Json.isObject(parsed)) return parsed
  } catch {
    // It is no JSON, as with an expression.
  }
  throw new Untranslated("Its parameters are a JSON that is not read: add an API_FLOW with them")
}

const named = (fields: ReadonlyArray<readonly [string, Schema.Json | undefined]>, data: Data): Pairs =>
  fields.map(([name, given]) => {
    const value = data.value(name, given)
    if (value === null || name.startsWith("=")) throw new Untranslated(expressions)
    return { name, value }
  })

/** The query or the headers, as each version has them. */
const pairs = (parameters: Schema.JsonObject, what: "Query" | "Header", data: Data): Pairs => {
  const small = what.toLowerCase()
  const [sends, specify, json] =
    what === "Query" ? ["sendQuery", "specifyQuery", "jsonQuery"] : ["sendHeaders", "specifyHeaders", "jsonHeaders"]
  if (parameters[sends] === true && parameters[specify] === "json")
    return named(Object.entries(objectIn(parameters[json])), data)
  const older = Json.objectOf(parameters[`${small}ParametersUi`]).parameter
  const list = parameters[sends] === true ? Json.objectOf(parameters[`${small}Parameters`]).parameters : older
  return named(
    listOf(list)
      .filter(({ name }) => typeof name === "string" && name !== "")
      .map(({ name, value }) => [String(name), value]),
    data
  )
}

const body = (parameters: Schema.JsonObject, version: number, method: string, data: Data): Schema.JsonObject => {
  if (method === "GET" || method === "HEAD") return {}
  if (version < 3) {
    if (parameters.jsonParameters === true) return text(parameters.bodyParametersJson, "application/json", data)
    const fields = listOf(Json.objectOf(parameters.bodyParametersUi).parameter).map(
      ({ name, value }) => [String(name), value] as const
    )
    return fields.length === 0
      ? {}
      : {
          body: { type: "json", value: Object.fromEntries(named(fields, data).map(({ name, value }) => [name, value])) }
        }
  }
  if (parameters.sendBody !== true) return {}
  const type = String(parameters.contentType ?? "json")
  if (type === "raw") return text(parameters.body, String(parameters.rawContentType ?? "text/plain"), data)
  if (type === "json" && parameters.specifyBody === "json") return text(parameters.jsonBody, "application/json", data)
  if (type === "form-urlencoded" && parameters.specifyBody === "string")
    return text(parameters.body, "application/x-www-form-urlencoded", data)
  const kind = { json: "json", "form-urlencoded": "form_urlencoded", "multipart-form-data": "multipart" }[type]
  const given = listOf(Json.objectOf(parameters.bodyParameters).parameters)
  if (kind === undefined || given.some(({ parameterType }) => parameterType === "formBinaryData"))
    throw new Untranslated("It sends a file: add an API_FLOW with the file as base64")
  const fields = named(
    given.map(({ name, value }) => [String(name), value]),
    data
  )
  return { body: { type: kind, value: Object.fromEntries(fields.map(({ name, value }) => [name, value])) } }
}

const text = (given: Schema.Json | undefined, content: string, data: Data): Schema.JsonObject => {
  const found = data.text(given)
  if (found === null) throw new Untranslated(expressions)
  return { body: { type: "text", value: written(data.withoutSecrets(found)), content_type: content } }
}
