/**
 * Requests that do not have the described shape, answered with every problem at its path.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { inOneSentence } from "../../../../core/window/Problems.ts"
import { problemsIn } from "../../../../core/workflow/language/graph/Paths.ts"
import { InvalidBody } from "../../Annotations.ts"
import * as Errors from "../Errors.ts"

export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("sluice/apps/api/http/body/SchemaErrors", {
  error: Errors.BadRequest
}) {}

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error, { endpoint }) =>
  Effect.gen(function* () {
    if (error.kind === "Body" || error.kind === "ResponseHeaders") return yield* Effect.die(error.cause)
    // A body may have tens of thousands of problems: finding them takes long, and so does describing them.
    yield* Effect.yieldNow
    const problems = problemsIn(error.cause.issue)
    if (error.kind !== "Payload") return yield* Effect.fail(Errors.invalid(problems))
    const isJson = problems[0]?.message !== "Expected a valid JSON body"
    const no = isJson ? null : yield* notJson(yield* HttpServerRequest.HttpServerRequest)
    const message = no ?? inOneSentence(problems)
    return yield* Effect.fail(Context.get(endpoint.annotations, InvalidBody)(message, no === null ? problems : []))
  })
)

/** The exact error of a body that is not JSON, if the body is still available. */
const notJson = ({ json }: HttpServerRequest.HttpServerRequest) =>
  Effect.flip(json).pipe(
    Effect.map(({ reason: { cause } }) => `The body is not valid JSON: ${cause instanceof Error ? cause.message : ""}`),
    Effect.catchCause(() => Effect.succeed("The body is not valid JSON"))
  )
