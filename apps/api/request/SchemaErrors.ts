/**
 * Requests that do not have the described shape, answered with every problem at its path.
 */
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "./Errors.ts"

export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("sluice/apps/api/SchemaErrors", {
  error: Errors.BadRequest
}) {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error.cause)
  const problems = format(error.cause.issue).issues.map((issue) => ({
    path: (issue.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join("."),
    message: issue.message
  }))
  const message = problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  return Effect.fail({ ...Errors.badRequest(message), code: "VALIDATION_FAILED", errors: problems })
})
