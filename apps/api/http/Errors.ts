/**
 * The error bodies of the interface, and which status and body answers each failure of core.
 */
import { identity, Predicate, Schema, SchemaAST, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { TooManyConversations } from "../../../core/builder/BuilderStore.ts"
import type { SessionBusy } from "../../../core/builder/Conversation.ts"
import type { AlreadyAnswered, AnswerIncomplete } from "../../../core/builder/MissingInputs.ts"
import type { RunNotFailed } from "../../../core/builder/Sources.ts"
import type { InvalidReceiver, ReceiverNotFound } from "../../../core/event/alert/AlertReceiver.ts"
import type { DeliveryNotDead, DeliveryNotFound } from "../../../core/event/webhook/Delivery.ts"
import type { UrlRefused, WebhookExists, WebhookNotFound } from "../../../core/event/webhook/Webhook.ts"
import type { NotLive } from "../../../core/execution/live/LiveViews.ts"
import type { WindowConflict } from "../../../core/gate/Gates.ts"
import type { CanaryEnded, CanaryNotFound } from "../../../core/run/canary/CanaryEnding.ts"
import type { SignInCheckRefused, SignInCheckRunning } from "../../../core/run/check/SignInChecks.ts"
import type { FileDeliveryNotFailed, FileDeliveryNotFound } from "../../../core/run/delivery/FileDelivery.ts"
import type { DestinationNotFound, InvalidDestination } from "../../../core/run/delivery/FileDestination.ts"
import type { NodeNotFound } from "../../../core/run/evidence/Evidence.ts"
import type { InvalidAnswer, NotWaiting, OwnApproval } from "../../../core/run/interaction/Interaction.ts"
import type { InvalidLimit, LimitNotFound } from "../../../core/run/limit/NamedLimits.ts"
import type { RunEnded } from "../../../core/run/Run.ts"
import type { ReferenceTaken } from "../../../core/run/RunStore.ts"
import type { RunNotEnded } from "../../../core/run/retention/RunRemoval.ts"
import type { InvalidSubmission } from "../../../core/run/submit/Submitting.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import type { InvalidSchedule, ScheduleNotFound } from "../../../core/schedule/RunSchedule.ts"
import type { NoRotation, NotReencrypted, RotationInProgress, SameKey } from "../../../core/vault/keys/KeyRotation.ts"
import type { InvalidPhoneNumber, PhoneNumberTaken } from "../../../core/vault/otp/PhoneNumbers.ts"
import type { CodesUnsupported, NoCode, NoInbox } from "../../../core/vault/otp/TfaCodes.ts"
import type {
  ConnectionChanged,
  ConnectionInUse,
  ConnectionNotFound,
  InvalidConnection
} from "../../../core/vault/providers/SecretConnections.ts"
import type { EntryNotFound, EntryTaken, InvalidEntry, OriginsForOwners } from "../../../core/vault/VaultEntry.ts"
import { inOneSentence, listed } from "../../../core/window/Problems.ts"
import { type InvalidRunWindow, RunWindowIssue } from "../../../core/window/RunWindow.ts"
import type { ComponentNotFound, InvalidComponent } from "../../../core/workflow/component/Component.ts"
import * as InputContract from "../../../core/workflow/contract/InputContract.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import type { PatchNotFound, PatchOutdated, PatchSettled } from "../../../core/workflow/patch/Patch.ts"
import type { InvalidWorkflow, NameShared, Problem } from "../../../core/workflow/Workflow.ts"
import type { VersionConflict } from "../../../core/workflow/Workflows.ts"
import type { ApiKeyNotFound, LastOwnerKey } from "../../../core/workspace/ApiKeys.ts"
import type { KeyTaken } from "../../../core/workspace/Collection.ts"
import type { ErrorCodeNotFound } from "../../../core/workspace/ErrorCodes.ts"
import type { RunNotFound, WorkflowNotFound } from "../../../core/workspace/Ids.ts"
import type {
  InvitationNotFound,
  InvitationNotValid,
  InvitationUsed
} from "../../../core/workspace/invitation/Invitations.ts"
import type { SessionNotFound } from "../../../core/workspace/signin/OpenSessions.ts"
import type { LinkNeedsKey, SignInAgain } from "../../../core/workspace/signin/SignIns.ts"
import type { RoleForbids } from "../../../core/workspace/Workspace.ts"
import type { NotInstallationOwner, WorkspaceNotFound } from "../../../core/workspace/Workspaces.ts"

/** The reason phrases of the statuses that the service answers with. */
const reasons = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
} as const

/** An error body in the general shape. */
export const general = <const Status extends keyof typeof reasons>(statusCode: Status, message: string) => ({
  statusCode,
  message,
  // Any text, so that bodies of several statuses have one type.
  error: reasons[statusCode] as string
})

/** The answer while the database cannot be reached. The reason is for the log alone. */
export const unavailable = general(503, "The database cannot be reached now. Send the request again later")

/** The answer if the maximum number of checks of the workspace waits. */
export const busy = general(
  503,
  "Too many checks of schemas, expressions and workflows of this workspace are waiting. Send the request again later"
)

/** The answer if the maximum number of mails waits. */
export const mailsWait = general(503, "Too many mails are waiting to be read. Send the mail again later")

export const badRequest = (message: string): BadRequest => general(400, message)

/** Parameters or fields that are wrong, each reported at its name. */
export const invalid = (problems: ReadonlyArray<Problem>): BadRequest =>
  validation({ message: inOneSentence(problems), problems })

/** One parameter or field that is wrong. */
export const invalidAt = (path: string, message: string): BadRequest => invalid([{ path, message }])

/** Paths in the form of the older endpoints: `cookies[2].name` is `["body", "cookies", "2", "name"]`. */
export const details = (problems: ReadonlyArray<Problem>) =>
  listed(problems).map(({ message, path }) => ({
    loc: ["body", ...path.split(/[.[\]]+/).filter((key) => key !== "")],
    msg: message,
    type: "value_error"
  }))

/** An unreadable or generally invalid body. Without `problems`, the problem is the whole body. */
export const invalidBody = (message: string, problems: ReadonlyArray<Problem>): BadRequest =>
  problems.length === 0 ? badRequest(message) : validation({ message, problems })

const orWhole = (message: string, problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.length === 0 ? [{ path: "", message }] : listed(problems)

/** The same in the shape of the older endpoints of credentials. */
export const invalidBodyInDetail = (message: string, problems: ReadonlyArray<Problem>): BadRequest => ({
  ...badRequest(message),
  ...{ detail: details(orWhole(message, problems)) }
})

/** The same in the shape of the endpoints of run windows. */
export const invalidWindowBody = (message: string, problems: ReadonlyArray<Problem>): BadRequest => ({
  statusCode: 400,
  error: "InvalidRunWindow",
  message,
  errors: orWhole(message, problems)
})

const invalidWindow = ({ issues, message }: InvalidRunWindow): BadRequest => ({
  statusCode: 400,
  error: "InvalidRunWindow",
  message,
  errors: listed(issues)
})

/** Problems of a body, each at its path. */
const validation = ({
  message,
  problems
}: {
  readonly message: string
  readonly problems: ReadonlyArray<Problem>
}): BadRequest => ({
  ...badRequest(message),
  code: "VALIDATION_FAILED",
  errors: listed(problems)
})

/** One field over its limit is reported by its code, several by one code for all. */
const fieldsTooLarge = ({ fields, message }: FieldLimit.FieldsTooLarge): BadRequest => ({
  ...validation({ message, problems: FieldLimit.asProblems(fields) }),
  ...(fields.length === 1 ? fields[0] : {})
})

/** The errors of an input in the shape that clients parse. */
const inputErrors = ({ errors, inputSchema }: Pick<InputContract.InvalidInput, "errors" | "inputSchema">) =>
  errors.length === 0
    ? {}
    : { run_input_variables_errors: errors.map(({ path: _, ...error }) => error), input_schema: inputSchema }

const invalidInput = (failure: InputContract.InvalidInput): BadRequest => ({
  ...validation({ message: failure.message, problems: failure.errors.map(InputContract.asProblem) }),
  ...inputErrors(failure)
})

const invalidSubmission = (failure: InvalidSubmission): BadRequest => ({
  ...validation(failure),
  ...inputErrors(failure)
})

const invalidAnswer = (failure: InvalidAnswer): BadRequest => ({
  ...validation(failure),
  expected_json_schema_datamodel: failure.expected
})

const answerIncomplete = ({ message, missing }: AnswerIncomplete): BadRequest =>
  validation({ message, problems: missing.map((name) => ({ path: `responses.${name}`, message: "Missing value" })) })

/** The run does not wait for this kind of answer. The status depends on the endpoint. */
export const notWaiting = <const Status extends 400 | 404 | 409>(status: Status, { message, reason }: NotWaiting) => ({
  ...general(status, message),
  // As in `general`.
  code: reason as string
})

const versionConflict = (conflict: VersionConflict) => ({
  ...general(409, conflict.message),
  code: "WORKFLOW_VERSION_CONFLICT",
  latestVersionId: conflict.latestVersionId,
  latestVersionNumber: conflict.latestVersionNumber,
  latestCreatedBy: conflict.latestCreatedBy,
  latestCreatedAt: new Date(conflict.latestCreatedAt).toISOString(),
  latestVersionNote: conflict.latestVersionNote
})

const urlRefused = ({ reason }: UrlRefused): BadRequest => invalidAt("url", reason)

const windowConflict = (conflict: WindowConflict) => ({
  ...general(409, conflict.message),
  code: "RUN_WINDOW_CONFLICT",
  run_window_revision: conflict.current,
  set_by: conflict.setBy,
  set_at: conflict.setAt === null ? null : new Date(conflict.setAt).toISOString()
})

const referenceTaken = ({ message, sessionId }: ReferenceTaken) => ({
  ...general(409, message),
  code: "REFERENCE_TAKEN",
  session_id: sessionId
})

const nameShared = ({ message, workflowIds }: NameShared) => ({
  ...general(409, message),
  code: "WORKFLOW_NAME_SHARED",
  workflow_ids: workflowIds
})

type Failure = { readonly _tag: string; readonly message: string }

/** Answers with the message of the failure. */
const says =
  <const Status extends keyof typeof reasons>(status: Status) =>
  <F extends Failure>() =>
  ({ message }: F) =>
    general(status, message)

const forbidden = says(403)
const missing = says(404)
const conflict = says(409)

/** The same with a code for programs. */
const conflictWith =
  <F extends Failure>(code: string) =>
  ({ message }: F) => ({ ...general(409, message), code })

/** Functions from failures to bodies. Each has the tag of its failure as its name. */
type Table<T> = {
  readonly [Tag in keyof T]: T[Tag] extends (failure: infer F) => unknown
    ? F extends { readonly _tag: Tag }
      ? T[Tag]
      : never
    : never
}

/** The failures that a table answers. */
type Answered<T> = { readonly [Tag in keyof T]: T[Tag] extends (failure: infer F) => unknown ? F : never }[keyof T]

const table = <const T>(entries: T & Table<T>): T => entries

/**
 * The answer to each failure of core, by its status and tag. A handler that fails with a failure that has no entry does
 * not compile. Failures that only one group answers in its own shape stand beside the body of that group.
 */
const answers = {
  400: table({
    AnswerIncomplete: answerIncomplete,
    FieldsTooLarge: fieldsTooLarge,
    InvalidAnswer: invalidAnswer,
    InvalidComponent: (failure: InvalidComponent) => validation(failure),
    InvalidConnection: (failure: InvalidConnection) => validation(failure),
    InvalidDestination: ({ path, reason }: InvalidDestination) => invalidAt(path, reason),
    InvalidEntry: (failure: InvalidEntry) => validation(failure),
    InvalidInput: invalidInput,
    InvalidLimit: (failure: InvalidLimit) => validation(failure),
    InvalidPhoneNumber: ({ message }: InvalidPhoneNumber) => invalidAt("phone_number", message),
    InvalidReceiver: ({ path, reason }: InvalidReceiver) => invalidAt(path, reason),
    InvalidRunWindow: invalidWindow,
    InvalidSchedule: (failure: InvalidSchedule) => validation(failure),
    InvalidSubmission: invalidSubmission,
    InvalidWorkflow: (failure: InvalidWorkflow) => validation(failure),
    UrlRefused: urlRefused
  }),
  403: table({
    LinkNeedsKey: forbidden<LinkNeedsKey>(),
    NoInbox: forbidden<NoInbox>(),
    NotInstallationOwner: forbidden<NotInstallationOwner>(),
    OriginsForOwners: forbidden<OriginsForOwners>(),
    OwnApproval: forbidden<OwnApproval>(),
    RoleForbids: forbidden<RoleForbids>(),
    SignInAgain: forbidden<SignInAgain>()
  }),
  404: table({
    ApiKeyNotFound: missing<ApiKeyNotFound>(),
    ComponentNotFound: missing<ComponentNotFound>(),
    CanaryNotFound: missing<CanaryNotFound>(),
    ConnectionNotFound: missing<ConnectionNotFound>(),
    DeliveryNotFound: missing<DeliveryNotFound>(),
    DestinationNotFound: missing<DestinationNotFound>(),
    EntryNotFound: missing<EntryNotFound>(),
    ErrorCodeNotFound: missing<ErrorCodeNotFound>(),
    FileDeliveryNotFound: missing<FileDeliveryNotFound>(),
    InvitationNotFound: missing<InvitationNotFound>(),
    InvitationNotValid: missing<InvitationNotValid>(),
    LimitNotFound: missing<LimitNotFound>(),
    NoCode: missing<NoCode>(),
    NodeNotFound: missing<NodeNotFound>(),
    PatchNotFound: missing<PatchNotFound>(),
    ReceiverNotFound: missing<ReceiverNotFound>(),
    RunNotFound: missing<RunNotFound>(),
    ScheduleNotFound: missing<ScheduleNotFound>(),
    SessionNotFound: missing<SessionNotFound>(),
    WebhookNotFound: missing<WebhookNotFound>(),
    WorkflowNotFound: missing<WorkflowNotFound>(),
    WorkspaceNotFound: missing<WorkspaceNotFound>()
  }),
  409: table({
    AlreadyAnswered: conflictWith<AlreadyAnswered>("ALREADY_ANSWERED"),
    CanaryEnded: conflict<CanaryEnded>(),
    CodesUnsupported: conflict<CodesUnsupported>(),
    ConnectionChanged: conflict<ConnectionChanged>(),
    ConnectionInUse: conflict<ConnectionInUse>(),
    DeliveryNotDead: conflict<DeliveryNotDead>(),
    EntryTaken: conflict<EntryTaken>(),
    SignInCheckRefused: conflictWith<SignInCheckRefused>("CREDENTIAL_CHECK_REFUSED"),
    SignInCheckRunning: conflictWith<SignInCheckRunning>("CREDENTIAL_CHECK_RUNNING"),
    FileDeliveryNotFailed: conflict<FileDeliveryNotFailed>(),
    InvitationUsed: conflict<InvitationUsed>(),
    KeyTaken: conflict<KeyTaken>(),
    LastOwnerKey: conflict<LastOwnerKey>(),
    NameShared: nameShared,
    NoRotation: conflict<NoRotation>(),
    NotLive: conflict<NotLive>(),
    NotReencrypted: conflict<NotReencrypted>(),
    NotWaiting: (failure: NotWaiting) => notWaiting(409, failure),
    PatchOutdated: conflict<PatchOutdated>(),
    PatchSettled: conflict<PatchSettled>(),
    PhoneNumberTaken: conflict<PhoneNumberTaken>(),
    ReferenceTaken: referenceTaken,
    RotationInProgress: conflict<RotationInProgress>(),
    RunEnded: conflict<RunEnded>(),
    RunNotEnded: conflict<RunNotEnded>(),
    RunNotFailed: conflictWith<RunNotFailed>("RUN_NOT_FAILED"),
    SameKey: conflict<SameKey>(),
    SessionBusy: conflictWith<SessionBusy>("SESSION_BUSY"),
    TooManyConversations: conflictWith<TooManyConversations>("TOO_MANY_SESSIONS"),
    VersionConflict: versionConflict,
    WebhookExists: conflict<WebhookExists>(),
    WindowConflict: windowConflict
  })
}

/**
 * A body as a client has it: with the name of its kind as `_tag`, so that a program can handle it by its kind. The name
 * is not part of the answer.
 */
export type Named<Tag extends string, B> = B & { readonly _tag: Tag }

/** The schema of an error body that clients have under a name. Handlers fail with the body, with or without the name. */
export const named = <const Tag extends string, B extends object>(tag: Tag, schema: Schema.Codec<B>) => {
  const isBody = Schema.is(schema)
  return schema.pipe(
    Schema.decodeTo(
      Schema.declare((value): value is Named<Tag, B> | B => isBody(value)),
      SchemaTransformation.transform<Named<Tag, B> | B, B>({
        decode: (body) => ({ ...body, _tag: tag }),
        encode: identity
      })
    ),
    Schema.annotate({ description: SchemaAST.resolveIdentifier(schema.ast) })
  )
}

/**
 * The schema of an error body for the handlers of an endpoint: they fail with such a body, or with a failure of the
 * table, which is answered as the table says. Clients have the body under a name.
 */
export const answering = <const Tag extends string, B extends { readonly statusCode: number }, const T>(
  tag: Tag,
  schema: Schema.Codec<B>,
  entries: T & Table<T>
) => {
  // The function of a tag takes the failure with this tag.
  const functions = entries as Readonly<Record<string, (failure: unknown) => B>>
  const answer = (value: unknown): B | null => {
    if (!Predicate.hasProperty(value, "_tag") || typeof value._tag !== "string") return null
    return Object.hasOwn(functions, value._tag) ? (functions[value._tag]?.(value) ?? null) : null
  }
  const isBody = Schema.is(schema)
  return schema.pipe(
    Schema.decodeTo(
      Schema.declare((value): value is Named<Tag, B> | B | Answered<T> => answer(value) !== null || isBody(value)),
      SchemaTransformation.transform<Named<Tag, B> | B | Answered<T>, B>({
        decode: (body) => ({ ...body, _tag: tag }),
        // A value without an answer is a body.
        encode: (value) => answer(value) ?? (value as B)
      })
    ),
    Schema.annotate({ description: SchemaAST.resolveIdentifier(schema.ast) })
  )
}

export const body = <const Status extends number>(status: Status, fields: Schema.Struct.Fields = {}) =>
  Schema.Struct({
    statusCode: Schema.Literal(status),
    message: Schema.String,
    error: Schema.optionalKey(Schema.String),
    ...fields
  })

const badRequestBody = Schema.Struct({
  ...body(400).fields,
  code: Schema.optionalKey(Schema.String),
  /** Problems with their paths, of a run window or of a workflow. */
  errors: Schema.optionalKey(Schema.Array(RunWindowIssue)),
  field: Schema.optionalKey(Schema.String),
  limit_bytes: Schema.optionalKey(Schema.Int),
  limit_chars: Schema.optionalKey(Schema.Int),
  actual_chars: Schema.optionalKey(Schema.Int),
  run_input_variables_errors: Schema.optionalKey(Schema.Array(InputContract.ListedError)),
  input_schema: Schema.optionalKey(Schema.JsonObject),
  /** The schema that an answer must satisfy. */
  expected_json_schema_datamodel: Schema.optionalKey(Schema.JsonObject)
}).annotate({ identifier: "BadRequest" })
export type BadRequest = typeof badRequestBody.Type

/** 400: the request is malformed or invalid. */
export const BadRequest = answering("BadRequest", badRequestBody, answers[400]).pipe(HttpApiSchema.status(400))

export const Unauthorized = named("Unauthorized", body(401).annotate({ identifier: "Unauthorized" })).pipe(
  HttpApiSchema.status(401)
)
export const Forbidden = answering("Forbidden", body(403).annotate({ identifier: "Forbidden" }), answers[403]).pipe(
  HttpApiSchema.status(403)
)
export const NotFound = answering("NotFound", body(404).annotate({ identifier: "NotFound" }), answers[404]).pipe(
  HttpApiSchema.status(404)
)

const conflictBody = Schema.Struct({
  ...body(409).fields,
  code: Schema.optionalKey(Schema.String),
  latestVersionId: Schema.optionalKey(Schema.String),
  latestVersionNumber: Schema.optionalKey(Schema.Int),
  latestCreatedBy: Schema.optionalKey(Schema.String),
  latestCreatedAt: Schema.optionalKey(Schema.String),
  latestVersionNote: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The run that has the reference. */
  session_id: Schema.optionalKey(Schema.String),
  /** The workflows that share the name. */
  workflow_ids: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The revision of the stored run window, by whom it was set and when. */
  run_window_revision: Schema.optionalKey(Schema.Int),
  set_by: Schema.optionalKey(Schema.NullOr(Schema.String)),
  set_at: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "Conflict" })

/** 409: the stored state does not allow the request now. */
export const Conflict = answering("Conflict", conflictBody, answers[409]).pipe(HttpApiSchema.status(409))

export const preconditionFailed = (message: string): PreconditionFailed => general(412, message)

const preconditionFailedBody = body(412).annotate({ identifier: "PreconditionFailed" })
export type PreconditionFailed = typeof preconditionFailedBody.Type

/** 412: the state that `If-Match` names is not the stored one. */
export const PreconditionFailed = named("PreconditionFailed", preconditionFailedBody).pipe(HttpApiSchema.status(412))

const payloadTooLargeBody = Schema.Struct({
  statusCode: Schema.Literal(413),
  code: Schema.Literal("PAYLOAD_TOO_LARGE"),
  message: Schema.String,
  limit_bytes: Schema.Int,
  /** Only when the request declared its length. */
  received_bytes: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "PayloadTooLarge" })

export const PayloadTooLarge = named("PayloadTooLarge", payloadTooLargeBody).pipe(HttpApiSchema.status(413))

export const UnsupportedMediaType = named(
  "UnsupportedMediaType",
  body(415).annotate({ identifier: "UnsupportedMediaType" })
).pipe(HttpApiSchema.status(415))

const tooManyRequestsBody = Schema.Struct({
  ...body(429).fields,
  limit: Schema.Int,
  remaining: Schema.Int,
  retryAfterSeconds: Schema.Int,
  /** The setting of the service that the limit comes from. */
  setting: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TooManyRequests" })

export const TooManyRequests = named("TooManyRequests", tooManyRequestsBody).pipe(HttpApiSchema.status(429))

export const internal = general(500, "The request could not be answered because of an internal error")

/** 500: an error of the service itself. What went wrong is in its log alone. */
export const InternalServerError = named(
  "InternalServerError",
  body(500).annotate({ identifier: "InternalServerError" })
).pipe(HttpApiSchema.status(500))

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
