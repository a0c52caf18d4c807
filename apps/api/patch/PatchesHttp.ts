/** Answers the endpoints of patches. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Patch } from "../../../core/workflow/patch/Patch.ts"
import { Patches } from "../../../core/workflow/patch/Patches.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import type { PatchRecord } from "./PatchesApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "patches",
  Effect.fn(function* (handlers) {
    const patches = yield* Patches
    return handlers.handleAll({
      listPatches: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const all = yield* patches.list(yield* CurrentCaller, id)
        return all.map(record)
      }),
      applyPatch: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        const applied = yield* patches.apply(caller, id, params.patch_id)
        return record(applied.patch)
      }),
      dismissPatch: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        return record(yield* patches.dismiss(caller, id, params.patch_id))
      })
    })
  })
)

const record = (patch: Patch): typeof PatchRecord.Type => ({
  id: patch.id,
  workflow_id: patch.workflowId,
  kind: patch.kind,
  state: patch.state,
  node_id: patch.nodeId,
  node_name: patch.nodeName,
  parameter: patch.parameter,
  before: patch.before,
  after: patch.after,
  reach: patch.reach ?? null,
  reason: patch.reason,
  first_session_id: patch.firstRunId,
  last_session_id: patch.lastRunId,
  confirmations: patch.confirmations,
  created_at: iso(patch.createdAt),
  updated_at: iso(patch.updatedAt),
  decided_by: patch.decidedBy,
  applied_version_number: patch.appliedVersion
})
