/** The endpoints by which a person answers what a run asks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PopupContext } from "../../../core/event/EventJson.ts"
import { InputReason } from "../../../core/event/RunEvent.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional, session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const Shown = Schema.Struct({ name: Schema.String, value: Schema.String })

/** The act that a run waits with. Texts of the page are as the page has them, without secrets. */
export const ActToApprove = Schema.Struct({
  /** The role that may decide. */
  by: Schema.Literals(["Member", "Owner"]),
  /** The lower-case hexadecimal SHA-256 of the act, which a decision names. */
  digest: Schema.String,
  /** What has changed since it was asked before; null where it is asked for the first time. */
  change: Schema.NullOr(Schema.String),
  action: Schema.String,
  element: Schema.Struct({ tag: Schema.String, text: Schema.String, name: Schema.NullOr(Schema.String) }),
  /** The page, and where the act leads by a link or a form; null where the page does not say it. */
  target: Schema.Struct({
    page: Schema.String,
    address: Schema.NullOr(Schema.String),
    method: Schema.NullOr(Schema.String)
  }),
  /** The texts of the step with their expressions evaluated; an expression that reads a secret stands as it is. */
  values: Schema.JsonObject,
  /** The fields of the form that are to be seen, and hide nothing. */
  fields: Schema.Array(Shown),
  /** What the workflow shows. */
  show: Schema.Array(Schema.String),
  /** Where the element is in the picture, as parts of its width and height; null where it is not in it. */
  box: Schema.NullOr(Schema.Struct({ x: Schema.Finite, y: Schema.Finite, width: Schema.Finite, height: Schema.Finite }))
}).annotate({ identifier: "ActToApprove" })

/**
 * The open question of a run. `approval` is of a run that waits for one; the five fields before it are of a run that waits for
 * corrected inputs or a decision, and the picture of either.
 */
export const OpenQuestion = Schema.Struct({
  id: Schema.String,
  session_id: Schema.String,
  workflow_id: Schema.String,
  kind: Schema.Literals(["interaction", "input_required", "approval"]),
  node_id: Schema.String,
  current_step: Schema.String,
  message: Schema.String,
  missing_properties: Schema.Array(Schema.String),
  expected_json_schema_datamodel: Schema.JsonObject,
  asked_at: Schema.String,
  expires_at: Schema.String,
  reason: Schema.NullOr(InputReason),
  input_variables: Schema.NullOr(Schema.JsonObject),
  /** Whether `chosen_option` may be sent. */
  choosing: Schema.Boolean,
  screenshot_url: Schema.NullOr(Schema.String),
  /** The pop-up to decide about by `modal_action`; null when the run waits for something else. */
  popup_context: Schema.NullOr(PopupContext),
  /** The act to decide about by `approval`; null when the run waits for something else. */
  approval: Schema.NullOr(ActToApprove)
}).annotate({ identifier: "OpenQuestion" })

/** A decision about the act that a run waits with. */
export const ApprovalDecision = Schema.Struct({
  /** The `digest` of the act that was looked at. */
  digest: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/, { message: "Expected the digest of the open question" })
  ),
  decision: Schema.Literals(["approve", "refuse"]),
  /** For the audit trail, and in the error of a refused run. */
  reason: optional(Schema.String.check(Schema.isMaxLength(1_000, { message: "Expected at most 1000 characters" })))
}).annotate({ identifier: "ApprovalDecision" })

/** Exactly one of `input_variables`, `chosen_option` and `modal_action`. */
export const NewInputVariables = Schema.Struct({
  /** The corrected inputs; the others do not change. */
  input_variables: optional(Schema.JsonObject),
  /** The id of one of the available actions of a pop-up. */
  modal_action: optional(Schema.String),
  /** The value or the text of an option; at a pop-up, the id or the label of an action. */
  chosen_option: optional(Schema.String),
  /**
   * Whether the run reuses the option if the same one is missing again, and the action if the same pop-up appears
   * again.
   */
  save_decision: optional(Schema.Boolean)
}).annotate({ identifier: "NewInputVariables" })

const group = HttpApiGroup.make("interactions").annotate(OpenApi.Description, "Questions that runs ask people")

export class InteractionsGroup extends group.add(
  HttpApiEndpoint.get("openQuestion", "/run/:session_id/user_interaction", {
    params: session,
    success: OpenQuestion,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read the open question of a run")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("answer", "/run/:session_id/user_interaction", {
    params: session,
    payload: Schema.JsonObject,
    success: Schema.Struct({ success: Schema.Boolean, message: Schema.String, session_id: Schema.String }),
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Answer the open question of a run")
    .annotate(Needs, "run"),
  HttpApiEndpoint.post("correct", "/run/:session_id/new_input_variables", {
    params: session,
    payload: NewInputVariables,
    success: Schema.Struct({ session_id: Schema.String, success: Schema.Boolean }),
    error: edits
  })
    .annotate(OpenApi.Summary, "Send corrected inputs, or a chosen option, to a run that waits for them")
    .annotate(Needs, "run"),
  HttpApiEndpoint.post("decide", "/run/:session_id/approval", {
    params: session,
    payload: ApprovalDecision,
    success: Schema.Struct({ session_id: Schema.String, success: Schema.Boolean }),
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Approve or refuse the act that a run waits with")
    .annotate(Needs, "run")
) {}
