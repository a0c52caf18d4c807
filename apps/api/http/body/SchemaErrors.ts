/**
 * Requests that do not have the described shape, answered with every problem at its path.
 */
import { Context, Effect, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { inOneSentence } from "../../../../core/window/Problems.ts"
import { InvalidBody } from "../../Annotations.ts"
import * as Errors from "../Errors.ts"

export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("sluice/apps/api/http/body/SchemaErrors", {
  error: Errors.BadRequest
}) {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error, { endpoint }) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error.cause)
  const problems = problemsOf(error)
  if (error.kind !== "Payload") return Effect.fail(Errors.invalidQuery(problems))
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.flatMap(
      problems[0]?.message === "Expected a valid JSON body" ? notJson(request) : Effect.succeed(null),
      (no) =>
        Effect.fail(
          Context.get(endpoint.annotations, InvalidBody)(no ?? inOneSentence(problems), no === null ? problems : [])
        )
    )
  )
})

/** The exact error of a body that is not JSON, if the body is still available. */
const notJson = ({ json }: HttpServerRequest.HttpServerRequest) =>
  Effect.flip(json).pipe(
    Effect.map(({ reason: { cause } }) => `The body is not valid JSON: ${cause instanceof Error ? cause.message : ""}`),
    Effect.catchCause(() => Effect.succeed("The body is not valid JSON"))
  )

const problemsOf = (error: HttpApiError.HttpApiSchemaError) =>
  format(error.cause.issue).issues.map((issue) => ({
    path: (issue.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join("."),
    message: issue.message
  }))
