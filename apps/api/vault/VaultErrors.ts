/** The error bodies of the vault, and the failures that they answer. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { InvalidTfaSecret } from "../../../core/vault/otp/Otp.ts"
import type {
  AccessRefused,
  ItemIncomplete,
  ItemNotFound,
  MalformedAnswer,
  SourceError,
  SourceUnavailable
} from "../../../core/vault/providers/SecretSource.ts"
import type { InvalidEntry } from "../../../core/vault/VaultEntry.ts"
import * as Errors from "../http/Errors.ts"

/** The kind of an error of an external secret store, for programs. */
const SourceCode = Schema.Literals([
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_ACCESS_REFUSED",
  "PROVIDER_ITEM_NOT_FOUND",
  "PROVIDER_ITEM_INCOMPLETE",
  "PROVIDER_ANSWER_MALFORMED"
])

const sourceCodes = {
  SourceUnavailable: "PROVIDER_UNAVAILABLE",
  AccessRefused: "PROVIDER_ACCESS_REFUSED",
  ItemNotFound: "PROVIDER_ITEM_NOT_FOUND",
  ItemIncomplete: "PROVIDER_ITEM_INCOMPLETE",
  MalformedAnswer: "PROVIDER_ANSWER_MALFORMED"
} as const

export const sourceCode = (error: SourceError): typeof SourceCode.Type => sourceCodes[error._tag]

const unprocessable = Schema.Struct({ ...Errors.body(422).fields, code: Schema.optionalKey(SourceCode) }).annotate({
  identifier: "UnprocessableEntity"
})

const unusable =
  <E extends SourceError>() =>
  (error: E) => ({ ...Errors.general(422, error.message), code: sourceCode(error) })

const unavailable =
  <E extends SourceError>() =>
  (error: E) => ({ ...Errors.general(503, error.message), code: sourceCode(error) })

/** 422: what is stored, or an external secret store that it depends on, cannot be used. */
export const Unprocessable = Errors.answering("UnprocessableEntity", unprocessable, {
  AccessRefused: unusable<AccessRefused>(),
  InvalidTfaSecret: ({ message }: InvalidTfaSecret) => Errors.general(422, message),
  ItemIncomplete: unusable<ItemIncomplete>(),
  ItemNotFound: unusable<ItemNotFound>(),
  MalformedAnswer: unusable<MalformedAnswer>(),
  SourceUnavailable: unusable<SourceUnavailable>()
}).pipe(HttpApiSchema.status(422))

/** 422 where the external secret store itself is asked: a person must correct its access. */
export const Refused = Errors.answering("UnprocessableEntity", unprocessable, {
  AccessRefused: unusable<AccessRefused>(),
  ItemNotFound: unusable<ItemNotFound>()
}).pipe(HttpApiSchema.status(422))

/** 503 where the external secret store itself is asked, and does not answer. */
export const Unavailable = Errors.answering(
  "ServiceUnavailable",
  Schema.Struct({ ...Errors.body(503).fields, code: Schema.optionalKey(SourceCode) }).annotate({
    identifier: "ServiceUnavailable"
  }),
  {
    MalformedAnswer: unavailable<MalformedAnswer>(),
    SourceUnavailable: unavailable<SourceUnavailable>()
  }
).pipe(HttpApiSchema.status(503))

/** 400 of the older endpoints: each problem with its place. */
export const InvalidAuthentication = Errors.answering(
  "InvalidAuthentication",
  Schema.Struct({
    ...Errors.body(400).fields,
    detail: Schema.Array(Schema.Struct({ loc: Schema.Array(Schema.String), msg: Schema.String, type: Schema.String }))
  }).annotate({ identifier: "InvalidAuthentication" }),
  {
    InvalidEntry: ({ message, problems }: InvalidEntry) => ({
      ...Errors.general(400, message),
      detail: Errors.details(problems)
    })
  }
).pipe(HttpApiSchema.status(400))
