/**
 * Descriptions of what endpoints take where they check it by themselves, so that they can report all of its problems at
 * once.
 */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"

interface Parameter {
  readonly in: string
}

/**
 * The form that a body is expected in. Parts of it that have an identifier are referred to by it: something else in the
 * interface must describe them.
 */
export const body = (schema: Schema.Top) => {
  const document = Schema.toJsonSchemaDocument(schema)
  const name = /^#\/\$defs\/(.*)$/.exec(String(document.schema.$ref))?.[1]
  const form = name === undefined ? document.schema : document.definitions[name]
  const described = JSON.parse(JSON.stringify(form).replaceAll('"#/$defs/', '"#/components/schemas/'))
  return OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      requestBody: { required: true, content: { "application/json": { schema: described } } }
    })
  })
}

/** An endpoint whose handler checks the body as a whole: what it expects is described by a schema of this name. */
export const bodyIs = (identifier: string) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${identifier}` } } }
      }
    })
  })

/** Every parameter of the query has to be there. */
export const wholeQuery = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    parameters: (operation.parameters as ReadonlyArray<Parameter>).map((parameter) =>
      parameter.in === "query" ? { ...parameter, required: true } : parameter
    )
  })
})
