/**
 * The error bodies of the interface, and the translation of the failures of core into them.
 */
import { Effect, Predicate, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { InvalidAnswer, NotWaiting } from "../../../core/run/interaction/Interaction.ts"
import type { RunEnded } from "../../../core/run/Run.ts"
import { listed, told } from "../../../core/runtime/Problems.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { type InvalidRunWindow, RunWindowIssue } from "../../../core/window/RunWindow.ts"
import type { InvalidComponent } from "../../../core/workflow/component/Component.ts"
import { InputError, type InvalidInput } from "../../../core/workflow/contract/InputContract.ts"
import type { FieldsTooLarge } from "../../../core/workflow/FieldLimit.ts"
import type { InvalidWorkflow, Problem } from "../../../core/workflow/Workflow.ts"
import type { VersionConflict } from "../../../core/workflow/Workflows.ts"
import type { KeyTaken } from "../../../core/workspace/Collection.ts"
import type { RoleForbids } from "../../../core/workspace/Workspace.ts"

const body = <const Status extends number>(status: Status, fields: Schema.Struct.Fields = {}) =>
  Schema.Struct({
    statusCode: Schema.Literal(status),
    message: Schema.String,
    error: Schema.optionalKey(Schema.String),
    ...fields
  })

/** 400: the request cannot be understood, or breaks a rule of the interface. */
export const BadRequest = Schema.Struct({
  ...body(400).fields,
  code: Schema.optionalKey(Schema.String),
  /** Problems with their paths, of a run window or of a workflow. */
  errors: Schema.optionalKey(Schema.Array(RunWindowIssue)),
  field: Schema.optionalKey(Schema.String),
  limit_bytes: Schema.optionalKey(Schema.Int),
  limit_chars: Schema.optionalKey(Schema.Int),
  actual_chars: Schema.optionalKey(Schema.Int),
  run_input_variables_errors: Schema.optionalKey(Schema.Array(InputError)),
  input_schema: Schema.optionalKey(Schema.JsonObject),
  /** What an answer must satisfy. */
  expected_json_schema_datamodel: Schema.optionalKey(Schema.JsonObject)
})
  .annotate({ identifier: "BadRequest" })
  .pipe(HttpApiSchema.status(400))
export type BadRequest = typeof BadRequest.Type

export const Unauthorized = body(401).annotate({ identifier: "Unauthorized" }).pipe(HttpApiSchema.status(401))
export const Forbidden = body(403).annotate({ identifier: "Forbidden" }).pipe(HttpApiSchema.status(403))
export const NotFound = body(404).annotate({ identifier: "NotFound" }).pipe(HttpApiSchema.status(404))

export const Conflict = Schema.Struct({
  ...body(409).fields,
  code: Schema.optionalKey(Schema.String),
  latestVersionId: Schema.optionalKey(Schema.String),
  latestVersionNumber: Schema.optionalKey(Schema.Int),
  latestCreatedBy: Schema.optionalKey(Schema.String),
  latestCreatedAt: Schema.optionalKey(Schema.String),
  latestVersionNote: Schema.optionalKey(Schema.NullOr(Schema.String))
})
  .annotate({ identifier: "Conflict" })
  .pipe(HttpApiSchema.status(409))

export const PayloadTooLarge = Schema.Struct({
  statusCode: Schema.Literal(413),
  code: Schema.Literal("PAYLOAD_TOO_LARGE"),
  message: Schema.String,
  limit_bytes: Schema.Int,
  /** Only when the request declared its length. */
  received_bytes: Schema.optionalKey(Schema.Int)
})
  .annotate({ identifier: "PayloadTooLarge" })
  .pipe(HttpApiSchema.status(413))

export const UnsupportedMediaType = body(415)
  .annotate({ identifier: "UnsupportedMediaType" })
  .pipe(HttpApiSchema.status(415))

export const TooManyRequests = Schema.Struct({
  ...body(429).fields,
  limit: Schema.Int,
  remaining: Schema.Int,
  retryAfterSeconds: Schema.Int
})
  .annotate({ identifier: "TooManyRequests" })
  .pipe(HttpApiSchema.status(429))

/** 503: the database cannot be reached, or too much of the workspace is being checked. The request may be sent again; `Retry-After` says when. */
const unavailableBody = body(503).annotate({ identifier: "StoreUnavailable" })
export const ServiceUnavailable = unavailableBody.pipe(
  Schema.decodeTo(
    StoreUnavailable,
    SchemaTransformation.transform<typeof StoreUnavailable.Encoded, typeof unavailableBody.Type>({
      decode: ({ message }) => ({ _tag: "StoreUnavailable" as const, reason: message }),
      encode: () => unavailable
    })
  ),
  HttpApiSchema.status(503)
)

/** The reason phrases of the statuses that the service answers with. */
const reasons = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
} as const

/** An error body in the general shape. */
export const general = <const Status extends keyof typeof reasons>(statusCode: Status, message: string) => ({
  statusCode,
  message,
  error: reasons[statusCode] as string
})

/** What is answered while the database cannot be reached. The reason is for the log alone. */
export const unavailable = general(503, "The database cannot be reached now. Send the request again later")

/** What is answered while as many checks of the workspace wait as may. */
export const busy = general(
  503,
  "Too many schemas, expressions and workflows of this workspace wait to be checked. Send the request again later"
)

export const badRequest = (message: string): BadRequest => general(400, message)

/** Parameters of a query that are wrong, each reported at its name. */
export const invalidQuery = (problems: ReadonlyArray<Problem>): BadRequest => ({
  ...badRequest(told(problems)),
  code: "VALIDATION_FAILED",
  errors: listed(problems)
})

/** Places in a body as the older endpoints write them: `cookies[2].name` is at `["body", "cookies", "2", "name"]`. */
export const details = (problems: ReadonlyArray<Problem>) =>
  listed(problems).map(({ message, path }) => ({
    loc: ["body", ...path.split(/[.[\]]+/).filter((key) => key !== "")],
    msg: message,
    type: "value_error"
  }))

/**
 * A body that cannot be read, or holds what is wrong in any body, in the shape that its endpoint gives to invalid bodies.
 * Without `problems`, the body as a whole is the problem.
 */
export const invalidBody = (path: string, message: string, problems: ReadonlyArray<Problem>): BadRequest => {
  const all = problems.length === 0 ? [{ path: "", message }] : listed(problems)
  if (path === "/authentication") return { ...badRequest(message), ...{ detail: details(all) } }
  if (/\/run-window(\/preview)?$/.test(path)) {
    return { statusCode: 400, error: "InvalidRunWindow", message, errors: all }
  }
  return problems.length === 0
    ? badRequest(message)
    : { ...badRequest(message), code: "VALIDATION_FAILED", errors: all }
}

export const invalidWindow = ({ issues }: InvalidRunWindow): BadRequest => ({
  statusCode: 400,
  error: "InvalidRunWindow",
  message: `Run window is not valid: ${told(issues)}`,
  errors: listed(issues)
})

export const invalidWorkflow = ({ message, problems }: InvalidWorkflow | InvalidComponent): BadRequest => ({
  ...badRequest(message),
  code: "VALIDATION_FAILED",
  errors: listed(problems)
})

/** One field over its limit is reported by its code, several by one code for all. */
export const fieldsTooLarge = ({ fields, message }: FieldsTooLarge): BadRequest =>
  fields.length === 1
    ? { ...general(400, message), ...fields[0] }
    : { ...badRequest(message), code: "VALIDATION_FAILED" }

export const invalidInput = ({ errors, inputSchema, message }: InvalidInput): BadRequest => ({
  ...badRequest(message),
  run_input_variables_errors: errors,
  input_schema: inputSchema
})

/** The 404 of any failure of core that says that something does not exist. */
export const notFound = ({ message }: { readonly _tag: `${string}NotFound`; readonly message: string }) =>
  general(404, message)

/** Answers a failure that says that something does not exist with 404; others pass. */
export const orNotFound = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Missing> | ReturnType<typeof notFound>, R> =>
  Effect.mapError(self, (error) => (isMissing(error) ? notFound(error) : (error as Exclude<E, Missing>)))

type Missing = Parameters<typeof notFound>[0]

const isMissing = (error: unknown): error is Missing =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && error._tag.endsWith("NotFound")

export const forbidden = ({ message }: RoleForbids) => general(403, message)

export const keyTaken = ({ message }: KeyTaken) => general(409, message)

export const ended = ({ message }: RunEnded) => general(409, message)

export const invalidAnswer = ({ expected, message, problems }: InvalidAnswer): BadRequest => ({
  ...badRequest(message),
  code: "VALIDATION_FAILED",
  errors: listed(problems),
  expected_json_schema_datamodel: expected
})

/** A run does not wait for what was sent: a status of the caller's choice, as the endpoints differ in it. */
export const notWaiting = <const Status extends 400 | 404 | 409>(status: Status, { message, reason }: NotWaiting) => ({
  ...general(status, message),
  code: reason as string
})

export const versionConflict = (conflict: VersionConflict) => ({
  ...general(409, conflict.message),
  code: "WORKFLOW_VERSION_CONFLICT",
  latestVersionId: conflict.latestVersionId,
  latestVersionNumber: conflict.latestVersionNumber,
  latestCreatedBy: conflict.latestCreatedBy,
  latestCreatedAt: new Date(conflict.latestCreatedAt).toISOString(),
  latestVersionNote: conflict.latestVersionNote
})
