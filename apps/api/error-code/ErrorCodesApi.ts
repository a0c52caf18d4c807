/** The endpoints of error codes. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { ErrorAction, ErrorCode } from "../../../core/workspace/ErrorCodes.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional } from "../http/body/Fields.ts"
import { instant } from "../http/body/Wire.ts"
import * as Errors from "../http/Errors.ts"

const name = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a name"),
  TextLength.atMost(256)
)
const text = Schema.String.check(TextLength.atMost(4_096))

/** The names that fields of core have in the interface where these differ. */
const names = {
  name: "error_code",
  enrichedDescription: "enriched_description",
  action: "error_action",
  retryAfterSeconds: "retry_after"
} as const

/** The fields of a code that a body gives. */
export const Given = Schema.Struct({
  name: optional(name),
  description: optional(text),
  enrichedDescription: optional(text),
  action: optional(ErrorAction),
  retries: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  /** In seconds. */
  retryAfterSeconds: optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
}).pipe(Schema.encodeKeys(names))

/** A code as it is answered. */
export const Answered = Schema.Struct({ ...ErrorCode.fields, createdAt: instant, updatedAt: instant }).pipe(
  Schema.encodeKeys({ ...names, createdAt: "created_at", updatedAt: "updated_at" })
)

const { fields } = Answered.from

export const ErrorCodeRecord = Answered.from.annotate({ identifier: "ErrorCode" })

const Found = Schema.Struct({ ...fields, created: Schema.Literal(false) }).annotate({ identifier: "ErrorCodeFound" })

const Created = Schema.Struct({ ...fields, created: Schema.Literal(true) }).annotate({ identifier: "ErrorCodeCreated" })

const params = { error_code_id: Schema.String }

export class ErrorCodesGroup extends HttpApiGroup.make("errorCodes")
  .annotate(OpenApi.Title, "error codes")
  .annotate(OpenApi.Description, "Named failures of workflows, and what the service does when a run fails with one")
  .add(
    HttpApiEndpoint.get("listErrorCodes", "/error-codes", {
      query: { workflow_id: Schema.optionalKey(Schema.String) },
      success: Schema.Array(ErrorCodeRecord),
      error: Errors.NotFound
    })
      .annotate(
        OpenApi.Summary,
        "List error codes; with workflow_id, only those that the latest version of the workflow uses"
      )
      .annotate(Needs, "read"),
    HttpApiEndpoint.post("findOrCreateErrorCode", "/error-codes", {
      payload: Schema.Struct({ ...Given.from.fields, error_code: name }).annotate({
        identifier: "ErrorCodeToCreate"
      }),
      success: [Found, Created.pipe(HttpApiSchema.status(201))],
      error: [Errors.BadRequest, Errors.Forbidden]
    })
      .annotate(OpenApi.Summary, "Return the error code with this name, ignoring case; create it if it does not exist")
      .annotate(Needs, "edit"),
    HttpApiEndpoint.get("getErrorCode", "/error-codes/:error_code_id", {
      params,
      success: ErrorCodeRecord,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Read an error code")
      .annotate(Needs, "read"),
    HttpApiEndpoint.patch("changeErrorCode", "/error-codes/:error_code_id", {
      params,
      payload: Given.from.annotate({ identifier: "ErrorCodeChanges" }),
      success: ErrorCodeRecord,
      error: [...edits, Errors.Conflict]
    })
      .annotate(OpenApi.Summary, "Change the given fields of an error code")
      .annotate(Needs, "edit"),
    HttpApiEndpoint.delete("removeErrorCode", "/error-codes/:error_code_id", {
      params,
      success: ErrorCodeRecord,
      error: [Errors.Forbidden, Errors.NotFound]
    })
      .annotate(
        OpenApi.Summary,
        "Delete an error code; nodes that use it must use another one when their workflow is next saved"
      )
      .annotate(Needs, "edit")
  ) {}
