/**
 * The public events of a run: their kinds, and the payload of each.
 *
 * Events of one run are appended to one log, in order, and never changed. The log feeds the record of the run, its
 * stream and its webhooks. Payloads carry no secret.
 */
import { Schema } from "effect"

const session = { session_id: Schema.String, workflow_id: Schema.String }

const ended = {
  ...session,
  status: Schema.String,
  data: Schema.Json,
  input_variables: Schema.JsonObject,
  encrypted_variables: Schema.NullOr(Schema.Array(Schema.String)),
  errors: Schema.Array(Schema.JsonObject),
  file_urls: Schema.NullOr(Schema.Array(Schema.Json)),
  vault_entries: Schema.NullOr(Schema.JsonObject)
}

const question = {
  ...session,
  current_step: Schema.String,
  missing_properties: Schema.Array(Schema.String),
  expected_json_schema_datamodel: Schema.JsonObject,
  message: Schema.String
}

/** Why a running run asks for inputs. */
export const InputReason = Schema.Literals([
  "input_required",
  "incorrect_form_input",
  "multiple_matching_results",
  "non_dismissible_popup"
])

/** A pop-up that nothing dismisses without deciding something, and what can be chosen on it. */
export const PopupContext = Schema.Struct({
  error_description: Schema.String,
  error_sub_type: Schema.String,
  full_url: Schema.String,
  available_actions: Schema.Array(Schema.Struct({ id: Schema.String, label: Schema.String })),
  retry: Schema.Struct({ attempt: Schema.Int, max_attempts: Schema.Int })
}).annotate({ identifier: "PopupContext" })

/** Until when an event matters, in epoch milliseconds, where it says so itself. */
const expires_at = Schema.optionalKey(Schema.Finite)

/** One event: what happened, to which run, and the facts that belong to it. */
export const RunEvent = Schema.Union([
  Schema.Struct({ event: Schema.Literal("execution.queued"), payload: Schema.Struct(session) }),
  Schema.Struct({
    event: Schema.Literal("execution.paused"),
    payload: Schema.Struct({
      ...session,
      pause_reason: Schema.Literals(["run_window", "manual"]),
      message: Schema.String,
      next_open_at: Schema.NullOr(Schema.String)
    })
  }),
  Schema.Struct({ event: Schema.Literal("execution.start"), payload: Schema.Struct(session) }),
  Schema.Struct({
    event: Schema.Literal("execution.step"),
    payload: Schema.Struct({
      ...session,
      current_step: Schema.String,
      next_step: Schema.NullOr(Schema.String)
    })
  }),
  /** A step was skipped, because its condition (`run_if`) did not hold. It has no other event. */
  Schema.Struct({
    event: Schema.Literal("execution.step_skipped"),
    payload: Schema.Struct({ ...session, current_step: Schema.String, node_id: Schema.String })
  }),
  Schema.Struct({
    event: Schema.Literal("execution.requeued"),
    payload: Schema.Struct({
      ...session,
      retry_attempt: Schema.Int,
      max_retries: Schema.Int,
      next_execution_time: Schema.String,
      delay_ms: Schema.Int
    })
  }),
  Schema.Struct({
    event: Schema.Literal("screenshot.uploaded"),
    payload: Schema.Struct({
      ...session,
      screenshot_id: Schema.String,
      node_id: Schema.String,
      node_display_name: Schema.String,
      timestamp: Schema.String,
      error_screenshot: Schema.Boolean,
      full_length_screenshot: Schema.Boolean,
      retry_index: Schema.Int,
      metadata: Schema.JsonObject
    })
  }),
  Schema.Struct({
    event: Schema.Literal("video.uploaded"),
    /** The video of an attempt. `timestamp` is its end. */
    payload: Schema.Struct({ ...session, video_id: Schema.String, timestamp: Schema.String })
  }),
  /** A person has taken or released control of the browser of the run. What they did is not reported. */
  Schema.Struct({
    event: Schema.Literal("control.taken"),
    payload: Schema.Struct({ ...session, user_id: Schema.String, timestamp: Schema.String })
  }),
  Schema.Struct({
    event: Schema.Literal("control.returned"),
    payload: Schema.Struct({
      ...session,
      user_id: Schema.String,
      timestamp: Schema.String,
      reason: Schema.Literals(["released", "timeout", "ended"])
    })
  }),
  Schema.Struct({
    event: Schema.Literal("file.uploaded"),
    payload: Schema.Struct({
      ...session,
      /** The file; rendering the event adds its address as `signed_file_url`. */
      file_id: Schema.String,
      file_name: Schema.String,
      timestamp: Schema.String,
      metadata: Schema.JsonObject
    })
  }),
  Schema.Struct({ event: Schema.Literal("interaction.waiting"), payload: Schema.Struct(question), expires_at }),
  Schema.Struct({ event: Schema.Literal("interaction.finished"), payload: Schema.Struct(question) }),
  Schema.Struct({
    event: Schema.Literal("interaction.failed"),
    payload: Schema.Struct({
      ...session,
      current_step: Schema.String,
      message: Schema.String,
      reason: Schema.Literals(["timeout", "interrupted"])
    })
  }),
  Schema.Struct({
    event: Schema.Literal("execution.input_required"),
    payload: Schema.Struct({
      ...session,
      current_step: Schema.String,
      message: Schema.String,
      input_variables: Schema.JsonObject,
      /** The screenshot; rendering the event replaces it by its address, as `screenshot_url`. */
      screenshot_id: Schema.NullOr(Schema.String),
      reason: InputReason,
      /** Of a pop-up that a person is to decide about. */
      popup_context: Schema.optionalKey(PopupContext)
    }),
    expires_at
  }),
  Schema.Struct({
    event: Schema.Literal("agent.error_analysis"),
    payload: Schema.Struct({
      ...session,
      /** The error that was recovered from, or was not. */
      error_id: Schema.String,
      analysis_step_name: Schema.String,
      node_id: Schema.String,
      /** What a model said; `null` where none was asked. */
      ai_analysis: Schema.NullOr(Schema.String),
      root_cause_analysis: Schema.String,
      error_category: Schema.String,
      error_sub_type: Schema.NullOr(Schema.String),
      /** Which kind of recovery it was, and what it did. */
      recovery: Schema.String,
      recovery_action: Schema.String,
      outcome: Schema.Literals(["success", "failure"]),
      phase: Schema.optionalKey(Schema.Literals(["modal_decision_dispatched", "popup_dismiss_verified"])),
      modal_action: Schema.optionalKey(Schema.String),
      modal_action_label: Schema.optionalKey(Schema.String),
      response_time_ms: Schema.optionalKey(Schema.Int),
      host: Schema.optionalKey(Schema.String),
      popup_signature: Schema.optionalKey(Schema.String)
    })
  }),
  Schema.Struct({ event: Schema.Literal("execution.success"), payload: Schema.Struct(ended) }),
  Schema.Struct({ event: Schema.Literal("execution.failed"), payload: Schema.Struct(ended) }),
  Schema.Struct({
    event: Schema.Literal("execution.stopped"),
    /** With the run whose failed login stopped this one, where that is why. */
    payload: Schema.Struct({ ...ended, session_causing_error: Schema.optionalKey(Schema.String) })
  })
])
export type RunEvent = typeof RunEvent.Type

/** An event as the log keeps it. `sequence` grows along the log; events of one run are in its order. */
export interface LoggedEvent {
  readonly sequence: number
  readonly runId: string
  readonly at: number
  readonly event: RunEvent
}

/** Returns whether a run has ended with this event. */
export const isLast = ({ event }: RunEvent): boolean =>
  event === "execution.success" || event === "execution.failed" || event === "execution.stopped"
