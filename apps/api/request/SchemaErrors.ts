/**
 * Requests that do not have the described shape, answered with every problem at its path.
 */
import { Effect, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import * as Errors from "./Errors.ts"

export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("sluice/apps/api/SchemaErrors", {
  error: Errors.BadRequest
}) {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error.cause)
  const problem = refusal(error)
  return error.kind === "Payload" && problem.message === "Expected a valid JSON body"
    ? Effect.flatMap(syntaxProblem, Effect.fail)
    : Effect.fail(problem)
})

/** What exactly is wrong with a body that is no JSON, as far as it is still there to be looked at. */
const syntaxProblem = Effect.gen(function* () {
  const { json } = yield* HttpServerRequest.HttpServerRequest
  const { cause } = (yield* Effect.flip(json)).reason
  return Errors.badRequest(`The body is not valid JSON: ${cause instanceof Error ? cause.message : ""}`)
}).pipe(Effect.catchCause(() => Effect.succeed(Errors.badRequest("The body is not valid JSON"))))

const refusal = (error: HttpApiError.HttpApiSchemaError) => {
  const problems = format(error.cause.issue).issues.map((issue) => ({
    path: (issue.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join("."),
    message: issue.message
  }))
  const message = problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  return { ...Errors.badRequest(message), code: "VALIDATION_FAILED", errors: problems }
}
