/**
 * Makes the description of the interface say what the interface does, beyond what its endpoints say of themselves.
 */
import { SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

interface Operation {
  operationId: string
  parameters: ReadonlyArray<{ readonly in: string }>
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

/**
 * Completes the description of an interface.
 *
 * An operation lists a status exactly when it can answer it: requests without a body are never refused for their body
 * or as a repetition. Fields of a body beyond the described ones are ignored, so they are allowed; parameters beyond the
 * described ones are refused.
 */
export const complete =
  (api: () => HttpApi.Constraint) =>
  (spec: Record<string, unknown>): Record<string, unknown> => {
    // What was generated is such a document; its generator does not say so.
    const document = spec as unknown as Document
    const own = ownErrors(api())
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        operation.operationId = camelCase(operation.operationId)
        const kept = own.get(`${method.toUpperCase()} ${path}`) ?? new Set()
        for (const status of foreign(method)) if (!kept.has(status)) delete operation.responses[status]
      }
    }
    for (const name of inRequests(document))
      document.components.schemas[name] = opened(document.components.schemas[name])
    for (const operation of Object.values(document.paths).flatMap((one) => Object.values(one))) {
      for (const body of Object.values(operation.requestBody?.content ?? {})) body.schema = opened(body.schema)
    }
    return spec
  }

/** Statuses that are answered around all endpoints, but never to requests with this method. */
const foreign = (method: string): ReadonlyArray<number> => (method === "get" ? [409, 413, 415] : [])

/** The statuses of the failures that endpoints themselves declare. */
const ownErrors = (api: HttpApi.Constraint): ReadonlyMap<string, ReadonlySet<unknown>> => {
  const found = new Map<string, ReadonlySet<unknown>>()
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      found.set(`${endpoint.method} ${path}`, new Set(statuses(endpoint)))
    }
  })
  return found
}

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
