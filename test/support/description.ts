/**
 * Checks of requests and answers against the description of the interface.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { JsonSchema } from "./JsonSchema.ts"

export interface Parameter {
  readonly name: string
  readonly description?: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: JsonSchema
}

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

export interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export interface Described extends Operation {
  readonly method: string
  readonly path: string
}

export const operationsOf = ({ paths }: Document): ReadonlyArray<Described> =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }))
  )

export const bodySchema = (operation: Operation): JsonSchema | undefined =>
  operation.requestBody?.content["application/json"]?.schema

export interface Judge {
  readonly resolve: (ref: string) => JsonSchema
  /** Whether the description allows a body. */
  readonly allows: (schema: JsonSchema, body: unknown) => boolean
  /** The mismatch between an answer and the description of its operation; `null` when there is none. */
  readonly complaint: (
    operation: Described,
    answer: { readonly status: number; readonly headers: Headers; readonly text: string }
  ) => string | null
}

/**
 * `date-time` is the format of the service. `uuid` accepts any text: tests compare ids with those of created resources.
 */
const formats = { "date-time": /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, uuid: true } as const

/** The judge of a document. Compiling the schemas takes seconds, so each document has one judge in a process. */
export const judge = (document: Document): Judge => {
  const known = judges.get(document) ?? makeJudge(document)
  judges.set(document, known)
  return known
}

const judges = new WeakMap<Document, Judge>()

const makeJudge = (document: Document): Judge => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, formats })
  ajv.addSchema({ $id: "description", components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  const found = new WeakMap<JsonSchema, ValidateFunction>()
  const validator = (schema: JsonSchema): ValidateFunction => {
    const before = found.get(schema)
    if (before !== undefined) return before
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"description#/')
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text) as JsonSchema)
    compiled.set(text, known)
    found.set(schema, known)
    return known
  }
  return {
    resolve: (ref) => {
      const schema = document.components.schemas[ref.replace("#/components/schemas/", "")]
      if (schema === undefined) throw new Error(`Nothing is described under ${ref}`)
      return schema
    },
    allows: (schema, body) => validator(schema)(body) === true,
    complaint: (operation, { headers, status, text }) => {
      const described = operation.responses[String(status)]
      if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`
      if (described === undefined) return `answered ${status}, which is not described: ${text.slice(0, 300)}`
      const type = (headers.get("content-type") ?? "").split(";")[0] ?? ""
      const content = described.content
      if (content === undefined) return text === "" ? null : `answered ${status} with a body where none is described`
      const media = content[type]
      if (media === undefined) return `answered ${status} as ${type}, where ${Object.keys(content).join()} is described`
      if (type !== "application/json") return null
      const validate = validator(media.schema)
      return validate(JSON.parse(text))
        ? null
        : `answered ${status} with a body that is not as described: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`
    }
  }
}
