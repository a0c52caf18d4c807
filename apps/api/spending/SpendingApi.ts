/** The endpoints of what models cost. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Terms } from "../../../core/agent/spending/ModelSpending.ts"
import { ModelCall, mostListed } from "../../../core/agent/spending/SpendLedger.ts"
import { Needs } from "../Annotations.ts"
import { described } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const spent = {
  calls: Schema.Int,
  tokens: Schema.Int,
  money: Schema.Finite,
  /** Calls that are not over, beside those that are counted. */
  open_calls: Schema.Int
}

export const SpendingRecord = Schema.Struct({
  /** The day in UTC. */
  date: Schema.String,
  limits: Terms,
  workspace: Schema.Struct(spent),
  workflows: Schema.Array(Schema.Struct({ workflow_id: Schema.String, ...spent }))
}).annotate({ identifier: "ModelSpending" })

export const ModelCallRecord = Schema.Struct({
  id: Schema.String,
  workflow_id: Schema.String,
  session_id: Schema.String,
  node_id: Schema.String,
  node_name: Schema.String,
  /** Why the step asked. */
  purpose: Schema.String,
  model: Schema.String,
  at: Schema.String,
  /** open: no answer yet. lost: no answer came. Both are counted by the most that they may use. */
  state: ModelCall.fields.state,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  /** null for a model without a price. */
  money: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "ModelCall" })

export class SpendingGroup extends HttpApiGroup.make("modelSpending")
  .annotate(OpenApi.Description, "What models cost: limits by workspace, workflow and day, and every call")
  .add(
    HttpApiEndpoint.get("getModelSpending", "/model-spending", { success: SpendingRecord })
      .annotate(OpenApi.Summary, "Read the limits and prices of models, and what was spent today (UTC)")
      .annotate(Needs, "read"),
    HttpApiEndpoint.put("setModelSpending", "/model-spending", {
      payload: Terms,
      success: SpendingRecord,
      error: [Errors.BadRequest, Errors.Forbidden]
    })
      .annotate(
        OpenApi.Summary,
        "Set the limits on model calls of a day, of the workspace and of single workflows, and the prices of models"
      )
      .annotate(Needs, "manage"),
    HttpApiEndpoint.get("listModelCalls", "/model-calls", {
      query: {
        session_id: described("Only calls of this run"),
        workflow_id: described("Only calls of this workflow"),
        cursor: described("The next_cursor of the page before")
      },
      success: Schema.Struct({
        calls: Schema.Array(ModelCallRecord),
        next_cursor: Schema.NullOr(Schema.String)
      }),
      error: Errors.BadRequest
    })
      .annotate(
        OpenApi.Summary,
        `List the calls of models, newest first, each with its step and its reason; at most ${mostListed} a page`
      )
      .annotate(Needs, "read")
  ) {}
