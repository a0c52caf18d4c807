/** Completes the OpenAPI description with rules that apply to all endpoints. */
import { Context, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { MaxBody, mebibytes, Needs, TakesForm, TakesTags } from "./Annotations.ts"
import { uuids, words } from "./describing/FieldWords.ts"
import { examples } from "./Examples.ts"

interface Parameter {
  readonly in: string
  readonly name?: string
  readonly description?: string
  readonly schema?: Readonly<Record<string, unknown>>
}

interface Operation {
  operationId: string
  parameters: ReadonlyArray<Parameter>
  requestBody?: { description?: string; content: Record<string, { schema: unknown; example?: unknown }> }
  responses: Record<string, { content?: Record<string, unknown> }>
  /** Empty where no key is needed. */
  security?: ReadonlyArray<unknown>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

/**
 * Completes the description of an interface.
 *
 * An operation lists a status exactly when it can answer it: requests without a body are never refused for their body
 * or as a repetition. A body says its limit. Fields of a body beyond the described ones are ignored, so they are allowed; parameters beyond the
 * described ones are refused. An object without described fields takes any fields, and says so: generators of clients
 * take it for an empty one otherwise. Numbers in queries are described as numbers. Every writing operation that needs a
 * key takes an `Idempotency-Key`. A field without a description has the one of `FieldWords`, and an id in a path the
 * format `uuid`. Instants of answers have the format `date-time`; those of requests are judged by the endpoints, which
 * say what they accept.
 */
export const complete =
  (api: () => HttpApi.Constraint) =>
  (spec: Record<string, unknown>): Record<string, unknown> => {
    // The generated document is such a document; its generator does not say so.
    const document = spec as unknown as Document
    const endpoints = endpointsOf(api())
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        operation.operationId = camelCase(operation.operationId)
        const endpoint = endpoints.get(`${method.toUpperCase()} ${path}`)
        for (const status of endpoint === undefined ? [] : foreign(endpoint)) delete operation.responses[status]
        const example = examples[operation.operationId]
        const json = operation.requestBody?.content["application/json"]
        if (json !== undefined && example !== undefined) json.example = example
        if (operation.requestBody !== undefined && endpoint !== undefined) {
          operation.requestBody.description = bodyLimit(Context.get(endpoint.annotations, MaxBody))
          if (Context.get(endpoint.annotations, TakesForm)) operation.requestBody.content["multipart/form-data"] = form
        }
        operation.parameters = operation.parameters.map(described)
        const isRepeatable = method !== "get" && operation.security?.length !== 0
        if (isRepeatable) operation.parameters = [...operation.parameters, idempotencyKey]
      }
    }
    const requested = inRequests(document)
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      document.components.schemas[name] = freed(worded(requested.has(name) ? opened(schema) : dated(schema)))
    }
    for (const operation of Object.values(document.paths).flatMap((one) => Object.values(one))) {
      for (const body of Object.values(operation.requestBody?.content ?? {}))
        body.schema = freed(worded(opened(body.schema)))
      for (const answer of Object.values(operation.responses)) {
        if (answer.content !== undefined) answer.content = eachOf(answer.content)
      }
    }
    return spec
  }

/** A form with a file. */
const form = {
  schema: {
    type: "object",
    properties: { file: { type: "string", format: "binary", description: "The file, a text in UTF-8, with its name" } },
    required: ["file"]
  }
}

const bodyLimit = (bytes: number): string =>
  `At most ${bytes / mebibytes(1)} MB (${bytes} bytes): a longer one is answered with 413`

/** The header by which a request is carried out once, however often it is sent. */
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Identifies this request for 24 hours. The same request with the same key gets the stored answer and changes nothing. A different request with the key is answered with 409",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" }
}

/** The parameters of queries that are whole numbers. */
const numbers: ReadonlySet<string> = new Set(["count", "limit", "offset", "openings", "page", "page_size"])

/** A parameter with its description, and with the type of its number or the format of its id. */
const described = (parameter: Parameter): Parameter => {
  const { name = "", schema } = parameter
  const description = parameter.description ?? schema?.description ?? words[name]
  const isUuid = parameter.in === "path" && uuids.has(name)
  const isNumber = parameter.in === "query" && numbers.has(name)
  return {
    ...parameter,
    ...(typeof description === "string" ? { description } : {}),
    ...(isUuid ? { schema: { ...schema, format: "uuid" } } : {}),
    ...(isNumber
      ? {
          schema: { type: "integer", ...(schema?.description === undefined ? {} : { description: schema.description }) }
        }
      : {})
  }
}

/** Adds descriptions to properties that have one meaning everywhere. */
const worded = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(worded)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "properties" && typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoken(name, worded(inner))]))
        : worded(value)
    ])
  )
}

const spoken = (name: string, schema: unknown): unknown =>
  typeof schema !== "object" ||
  schema === null ||
  "$ref" in schema ||
  "description" in schema ||
  !Object.hasOwn(words, name)
    ? schema
    : { ...schema, description: words[name] }

/** The properties of answers that are instants: RFC 3339 in UTC, to the millisecond. */
const isInstant = /(?:_at|At)$/

/** A schema of answers whose instants have their format. */
const dated = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(dated)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "properties" && typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [name, isInstant.test(name) ? instant(inner) : dated(inner)])
          )
        : dated(value)
    ])
  )
}

const eachOf = (contents: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(contents).map(([type, content]) => [type, freed(dated(content))]))

/** Marks objects without described fields as accepting any fields. */
const freed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(freed)
  if (typeof schema !== "object" || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, freed(value)]))
  const isBare = inner.type === "object" && !describing.some((key) => key in inner)
  return isBare ? { ...inner, additionalProperties: true } : inner
}

/** The keywords that describe the fields of an object. */
const describing = ["properties", "additionalProperties", "anyOf", "oneOf", "allOf", "$ref"]

/** The text of an instant, or the one of several alternatives. Numbers and references stay as they are. */
const instant = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null) return schema
  if ("type" in schema && schema.type === "string") return { ...schema, format: "date-time" }
  return "anyOf" in schema && Array.isArray(schema.anyOf) ? { ...schema, anyOf: schema.anyOf.map(instant) } : schema
}

/** The common statuses that an endpoint never answers with. */
const foreign = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<number> => {
  const own = new Set(statuses(endpoint))
  const others = [
    ...(endpoint.method === "GET" ? [409, 412, 413, 415] : []),
    ...(Context.get(endpoint.annotations, TakesTags) ? [412] : []),
    ...(Context.get(endpoint.annotations, Needs) === "read" ? [403] : [])
  ]
  return others.filter((status) => !own.has(status))
}

/** The endpoints by method and path, as the description writes them. */
const endpointsOf = (api: HttpApi.Constraint): ReadonlyMap<string, HttpApiEndpoint.Top> => {
  const found = new Map<string, HttpApiEndpoint.Top>()
  // An API of any endpoints, which `reflect` asks for by another type.
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.set(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`, endpoint)
    }
  })
  return found
}

/** The statuses of the failures that an endpoint itself declares. */
const statuses = ({ error }: HttpApiEndpoint.Top): ReadonlyArray<unknown> =>
  [...error].map(({ ast }) => SchemaAST.resolve(ast)?.httpApiStatus ?? ast.context?.annotations?.httpApiStatus)

/** The names of the schemas that request bodies refer to, directly or through others. */
const inRequests = ({ components, paths }: Document): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const [, name] =
        key === "$ref" && typeof inner === "string" ? (inner.match(/^#\/components\/schemas\/(.+)$/) ?? []) : []
      if (name === undefined) look(inner)
      else if (!found.has(name)) {
        found.add(name)
        look(components.schemas[name])
      }
    }
  }
  for (const operations of Object.values(paths)) {
    for (const { requestBody } of Object.values(operations)) look(requestBody)
  }
  return found
}

/** A schema that allows names beyond those it describes. */
const opened = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(opened)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      key === "additionalProperties" && value === false ? [] : [[key, opened(value)]]
    )
  )
}

const camelCase = (id: string): string => id.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase())
