/** The endpoint of what models decided in runs. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Decision } from "../../../core/run/evidence/Decision.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const RunDecisions = Schema.Struct({
  ...session,
  /** Oldest first, everything secret hidden in them. */
  decisions: Schema.Array(Decision),
  /** As many are kept as may be of one run: there may have been more. */
  truncated: Schema.Boolean
}).annotate({ identifier: "RunDecisions" })

export class DecisionsGroup extends HttpApiGroup.make("decisions").add(
  HttpApiEndpoint.get("list", "/run/:session_id/decisions", {
    params: session,
    success: RunDecisions,
    error: Errors.NotFound
  })
) {}
