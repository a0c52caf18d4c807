/** The endpoint of what models decided in runs. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { type Decision, Purpose } from "../../../core/run/evidence/Decision.ts"
import { Needs } from "../Annotations.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const nullable = Schema.NullOr(Schema.String)

/** One question to the model and its result, with all secrets hidden. */
export const ModelDecision = Schema.Struct({
  node_id: Schema.String,
  node_display_name: Schema.String,
  action_type: Schema.String,
  /** The purpose of the question: an element, data, a verdict, a move, or one of several candidates. */
  purpose: Purpose,
  /** The model of the request; `null` for the default model if it never answered. */
  llm_model: nullable,
  /** The question, cut when it is long. */
  prompt: Schema.String,
  /** Whether the question included a screenshot. */
  with_screenshot: Schema.Boolean,
  /** The answer of the model, cut when it is long; `null` without an answer. */
  answer: nullable,
  /** The result of the answer; `null` when it was refused. */
  decision: nullable,
  /** Why the answer was refused or is missing; `null` for an accepted answer. */
  refusal: nullable,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  duration_ms: Schema.Int,
  created_at: Schema.String
}).annotate({ identifier: "ModelDecision" })

export const decisionJson = (decision: Decision): typeof ModelDecision.Type => ({
  node_id: decision.node.id,
  node_display_name: decision.node.name,
  action_type: decision.node.action,
  purpose: decision.purpose,
  llm_model: decision.model,
  prompt: decision.prompt,
  with_screenshot: decision.hasPicture,
  answer: decision.answer,
  decision: decision.decision,
  refusal: decision.refusal,
  input_tokens: decision.inputTokens,
  output_tokens: decision.outputTokens,
  duration_ms: decision.durationMillis,
  created_at: new Date(decision.at).toISOString()
})

const RunDecisions = Schema.Struct({
  ...session,
  /** Oldest first, with secrets hidden. */
  decisions: Schema.Array(ModelDecision),
  /** Whether the run reached the maximum number of stored decisions, so that there may have been more. */
  truncated: Schema.Boolean
}).annotate({ identifier: "RunDecisions" })

const group = HttpApiGroup.make("decisions").annotate(OpenApi.Description, "Decisions of language models in runs")

export class DecisionsGroup extends group.add(
  HttpApiEndpoint.get("list", "/run/:session_id/decisions", {
    params: session,
    success: RunDecisions,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the questions that a run asked language models, and their decisions")
    .annotate(Needs, "read")
) {}
