/** The endpoint of what models decided in runs. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decision } from "../../../core/run/evidence/Decision.ts"
import { Needs } from "../Annotations.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const RunDecisions = Schema.Struct({
  ...session,
  /** Oldest first, everything secret hidden in them. */
  decisions: Schema.Array(Decision),
  /** As many are kept as may be of one run: there may have been more. */
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
