/** The error bodies of the vault, and the translation of its failures into them. */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { EntryNotFound, EntryTaken, InvalidEntry } from "../../../core/vault/VaultEntry.ts"
import * as Errors from "../request/Errors.ts"

const general = <const Status extends number>(status: Status) =>
  Schema.Struct({
    statusCode: Schema.Literal(status),
    message: Schema.String,
    error: Schema.optionalKey(Schema.String)
  })

/** 422: what is stored cannot be worked with. */
export const Unprocessable = general(422)
  .annotate({ identifier: "UnprocessableEntity" })
  .pipe(HttpApiSchema.status(422))

/** 503: something that the service depends on does not answer. */
export const Unavailable = general(503).annotate({ identifier: "ServiceUnavailable" }).pipe(HttpApiSchema.status(503))

/** 400 of the older interface: each problem with its place. */
export const InvalidAuthentication = Schema.Struct({
  ...general(400).fields,
  detail: Schema.Array(Schema.Struct({ loc: Schema.Array(Schema.String), msg: Schema.String, type: Schema.String }))
})
  .annotate({ identifier: "InvalidAuthentication" })
  .pipe(HttpApiSchema.status(400))

export const unprocessable = ({ message }: { readonly message: string }) => ({
  statusCode: 422 as const,
  message,
  error: "Unprocessable Entity"
})

export const unavailable = ({ message }: { readonly message: string }) => Errors.general(503, message)

const invalid = ({ message, problems }: InvalidEntry) =>
  Effect.fail({ ...Errors.badRequest(message), code: "VALIDATION_FAILED", errors: problems })

/** `cookies[2].name` is at `["body", "cookies", "2", "name"]`. */
const invalidAuthentication = ({ message, problems }: InvalidEntry) =>
  Effect.fail({
    ...Errors.general(400, message),
    detail: problems.map(({ message, path }) => ({
      loc: ["body", ...path.split(/[.[\]]+/).filter((key) => key !== "")],
      msg: message,
      type: "value_error"
    }))
  })

const notFound = ({ message }: EntryNotFound) => Effect.fail(Errors.general(404, message))
const taken = ({ message }: EntryTaken) => Effect.fail(Errors.general(409, message))

/** How the failures of looking, making and changing are answered; and of the latter two in the older interface. */
export const refusedOne = { EntryNotFound: notFound }
export const refusedNew = { InvalidEntry: invalid, EntryTaken: taken }
export const refused = { InvalidEntry: invalid, EntryNotFound: notFound }
export const refusedNewAuthentication = { InvalidEntry: invalidAuthentication, EntryTaken: taken }
export const refusedAuthentication = { InvalidEntry: invalidAuthentication, EntryNotFound: notFound }
