/** The endpoints of patches: changes of a workflow that runs suggest. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PatchKind, PatchState } from "../../../core/workflow/patch/Patch.ts"
import { Reach } from "../../../core/workflow/patch/PlainForm.ts"
import { Needs } from "../Annotations.ts"
import { edits } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const value = Schema.Union([Schema.String, Schema.Finite])

export const PatchRecord = Schema.Struct({
  id: Schema.String,
  workflow_id: Schema.String,
  kind: PatchKind,
  state: PatchState,
  /** The node that is changed; null for the pop-ups of the workflow. */
  node_id: Schema.NullOr(Schema.String),
  node_name: Schema.NullOr(Schema.String),
  /** The parameter of the node that is changed. */
  parameter: Schema.NullOr(Schema.String),
  /** The former value, null if absent, and the new value. For pop-ups, the added XPath. */
  before: Schema.NullOr(value),
  after: value,
  /**
   * Of a plain form, whose before and after are parameters as JSON: the host of the pages that runs use it on, and the
   * decision of a condition that it was found with. Null for other changes.
   */
  reach: Schema.NullOr(Reach),
  reason: Schema.String,
  /** The first and the last run that suggested the change, and their number. */
  first_session_id: Schema.String,
  last_session_id: Schema.String,
  confirmations: Schema.Int,
  created_at: Schema.String,
  updated_at: Schema.String,
  /** The user who applied or dismissed it. */
  decided_by: Schema.NullOr(Schema.String),
  /** The version of the workflow with the patch applied. */
  applied_version_number: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Patch" })

const workflow = { workflow_id: Schema.String }
const patch = { ...workflow, patch_id: Schema.String }

const group = HttpApiGroup.make("patches").annotate(
  OpenApi.Description,
  "Changes to workflows that their runs suggest; each is applied only by request"
)

export class PatchesGroup extends group.add(
  HttpApiEndpoint.get("listPatches", "/workflows/:workflow_id/patches", {
    params: workflow,
    success: Schema.Array(PatchRecord),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List suggested changes to a workflow")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("applyPatch", "/workflows/:workflow_id/patches/:patch_id/apply", {
    params: patch,
    success: PatchRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Apply a suggested change and save the result as the next version; the run window is not changed"
    )
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("dismissPatch", "/workflows/:workflow_id/patches/:patch_id/dismiss", {
    params: patch,
    success: PatchRecord,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Dismiss a suggested change; it is not suggested again")
    .annotate(Needs, "edit")
) {}
