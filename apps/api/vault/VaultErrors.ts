/** The error bodies of the vault, and the translation of its failures into them. */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { listed } from "../../../core/runtime/Problems.ts"
import type { InvalidConnection } from "../../../core/vault/providers/SecretConnections.ts"
import type { SourceError } from "../../../core/vault/providers/SecretSource.ts"
import type { EntryNotFound, EntryTaken, InvalidEntry, OriginsForOwners } from "../../../core/vault/VaultEntry.ts"
import * as Errors from "../http/Errors.ts"

const general = <const Status extends number>(status: Status) =>
  Schema.Struct({
    statusCode: Schema.Literal(status),
    message: Schema.String,
    error: Schema.optionalKey(Schema.String)
  })

/** What is wrong with an outside store of secrets, for programs. */
const SourceCode = Schema.Literals([
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_ACCESS_REFUSED",
  "PROVIDER_ITEM_NOT_FOUND",
  "PROVIDER_ITEM_INCOMPLETE",
  "PROVIDER_ANSWER_MALFORMED"
])

/** 422: what is stored cannot be worked with. */
export const Unprocessable = Schema.Struct({ ...general(422).fields, code: Schema.optionalKey(SourceCode) })
  .annotate({ identifier: "UnprocessableEntity" })
  .pipe(HttpApiSchema.status(422))

/** 503: something that the service depends on does not answer. */
export const Unavailable = Schema.Struct({ ...general(503).fields, code: Schema.optionalKey(SourceCode) })
  .annotate({ identifier: "ServiceUnavailable" })
  .pipe(HttpApiSchema.status(503))

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

export const sourceCode = (error: SourceError): typeof SourceCode.Type => sourceCodes[error._tag]

const sourceCodes = {
  SourceUnavailable: "PROVIDER_UNAVAILABLE",
  AccessRefused: "PROVIDER_ACCESS_REFUSED",
  ItemNotFound: "PROVIDER_ITEM_NOT_FOUND",
  ItemIncomplete: "PROVIDER_ITEM_INCOMPLETE",
  MalformedAnswer: "PROVIDER_ANSWER_MALFORMED"
} as const

/** A temporary failure of the secret provider is 503; one that a person must correct is 422. */
const unusable = (error: SourceError) => Effect.fail({ ...unprocessable(error), code: sourceCode(error) })
const unavailable = (error: SourceError) =>
  Effect.fail({ ...Errors.general(503, error.message), code: sourceCode(error) })

/** How the failures of an outside store are answered where something of the workspace depends on it. */
export const refusedTrial = {
  SourceUnavailable: unusable,
  AccessRefused: unusable,
  ItemNotFound: unusable,
  MalformedAnswer: unusable
}
export const refusedBySource = { ...refusedTrial, ItemIncomplete: unusable }

/** How they are answered where the store itself is asked for. */
export const askedOfSource = {
  SourceUnavailable: unavailable,
  AccessRefused: unusable,
  ItemNotFound: unusable,
  MalformedAnswer: unavailable
}

export const invalidConnection = ({ message, problems }: InvalidConnection) =>
  Effect.fail({ ...Errors.badRequest(message), code: "VALIDATION_FAILED", errors: listed(problems) })

const invalid = ({ message, problems }: InvalidEntry) =>
  Effect.fail({ ...Errors.badRequest(message), code: "VALIDATION_FAILED", errors: listed(problems) })

const invalidAuthentication = ({ message, problems }: InvalidEntry) =>
  Effect.fail({ ...Errors.general(400, message), detail: Errors.details(problems) })

const notFound = ({ message }: EntryNotFound) => Effect.fail(Errors.general(404, message))
const forOwners = ({ message }: OriginsForOwners) => Effect.fail(Errors.general(403, message))
const taken = ({ message }: EntryTaken) => Effect.fail(Errors.general(409, message))

/** How the failures of looking, making and changing are answered; and of the latter two in the older interface. */
export const refusedOne = { EntryNotFound: notFound }
export const refusedNew = { InvalidEntry: invalid, EntryTaken: taken, OriginsForOwners: forOwners }
export const refused = { InvalidEntry: invalid, EntryNotFound: notFound }
export const refusedChange = { ...refused, OriginsForOwners: forOwners }
export const refusedNewAuthentication = {
  InvalidEntry: invalidAuthentication,
  EntryTaken: taken,
  OriginsForOwners: forOwners
}
export const refusedAuthentication = { InvalidEntry: invalidAuthentication, EntryNotFound: notFound }
export const refusedAuthenticationChange = { ...refusedAuthentication, OriginsForOwners: forOwners }
