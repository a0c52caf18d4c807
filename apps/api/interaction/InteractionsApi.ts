/** The endpoints by which a person answers what a run asks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PopupContext } from "../../../core/event/EventJson.ts"
import { InputReason } from "../../../core/event/RunEvent.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional, session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

/** The open question of a run. The last five fields are of a run that waits for corrected inputs or a decision. */
const OpenQuestion = Schema.Struct({
  id: Schema.String,
  session_id: Schema.String,
  workflow_id: Schema.String,
  kind: Schema.Literals(["interaction", "input_required"]),
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
  popup_context: Schema.NullOr(PopupContext)
}).annotate({ identifier: "OpenQuestion" })

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
    .annotate(Needs, "run")
) {}
