/**
 * Descriptions of what endpoints take where they check it by themselves, so that they can report all of its problems at
 * once.
 */
import { OpenApi } from "effect/http-api"

interface Parameter {
  readonly in: string
  readonly name: string
}

/** These parameters of the query have to be there. */
export const neededInQuery = (...names: ReadonlyArray<string>) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      // The generator writes parameters as they are, and types them more narrowly.
      parameters: (operation.parameters as ReadonlyArray<Parameter>).map((parameter) =>
        parameter.in === "query" && names.includes(parameter.name) ? { ...parameter, required: true } : parameter
      )
    })
  })
