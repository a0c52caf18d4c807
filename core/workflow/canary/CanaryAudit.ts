/** The audit entries of canaries. */
import type { Schema } from "effect"
import type { Draft } from "../../workspace/audit/Audit.ts"
import type { StoredWorkflow } from "../WorkflowStore.ts"
import type { Canary } from "./Canary.ts"

/** What the interface says of a canary. */
export const json = ({ base, candidate, end, startedAt, startedBy, state, terms }: Canary) => ({
  state,
  ...terms,
  version_number: candidate.versionNumber,
  base_version_number: base.versionNumber,
  started_at: new Date(startedAt).toISOString(),
  started_by: startedBy,
  ended_at: end === null ? null : new Date(end.at).toISOString(),
  ended_by: end?.by ?? null,
  reason: end?.reason ?? null,
  evidence: end?.evidence ?? null,
  restored_version_number: end?.restored ?? null
})

const actions = {
  running: "canary.start",
  promoted: "canary.promote",
  stopped: "canary.stop",
  replaced: "canary.replace"
} as const

/** The entry of a change of the canary of a workflow; none where it is the same. */
export const of = (before: StoredWorkflow, after: StoredWorkflow): ReadonlyArray<Draft> => {
  const canary = after.canary
  if (canary === null || (canary.startedAt === before.canary?.startedAt && canary.state === before.canary.state)) {
    return []
  }
  const former = before.canary?.startedAt === canary.startedAt ? before.canary : null
  return [
    {
      action: actions[canary.state],
      resourceId: after.workflow.id,
      resourceName: after.workflow.name,
      reason: canary.end?.reason ?? null,
      before: former === null ? null : stated(former),
      after: stated(canary)
    }
  ]
}

// It is JSON, whose type is not that of a record.
const stated = (canary: Canary): Schema.Json => json(canary) as unknown as Schema.Json
