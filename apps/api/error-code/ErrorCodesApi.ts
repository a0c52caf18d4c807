/** The endpoints of error codes. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { ErrorAction } from "../../../core/workspace/ErrorCodes.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const name = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a name"),
  TextLength.atMost(256)
)
const text = Schema.String.check(TextLength.atMost(4_096))

const details = {
  description: optional(text),
  enriched_description: optional(text),
  error_action: optional(ErrorAction),
  retries: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  retry_after: optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
}

const fields = {
  id: Schema.String,
  error_code: Schema.String,
  description: Schema.String,
  enriched_description: Schema.NullOr(Schema.String),
  error_action: ErrorAction,
  retries: Schema.NullOr(Schema.Int),
  /** In seconds. */
  retry_after: Schema.NullOr(Schema.Finite),
  created_at: Schema.String,
  updated_at: Schema.String
}

export const ErrorCodeRecord = Schema.Struct(fields).annotate({ identifier: "ErrorCode" })

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
      payload: Schema.Struct({ error_code: name, ...details }).annotate({
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
      payload: Schema.Struct({ error_code: optional(name), ...details }).annotate({
        identifier: "ErrorCodeChanges"
      }),
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
