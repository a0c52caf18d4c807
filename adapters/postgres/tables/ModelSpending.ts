/** The tables of what models cost. */
import { Amount, type Day, Terms } from "../../../core/agent/spending/ModelSpending.ts"
import { ModelCall } from "../../../core/agent/spending/SpendLedger.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

interface KeptTerms {
  readonly workspaceId: WorkspaceId
  readonly terms: Terms
}

const ofTerms = Table.of<KeptTerms>()

export const terms = Table.make(
  "model_terms",
  {
    workspace_id: ofTerms(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    body: ofTerms(Table.json(Terms), ({ terms }) => terms)
  },
  ["workspace_id"]
)

/** What one scope spent in a day: the workspace, or a workflow. */
export interface KeptDay extends Day {
  readonly workspaceId: WorkspaceId
  readonly scope: string
  readonly date: string
}

const ofDay = Table.of<KeptDay>()

export const days = Table.make(
  "model_days",
  {
    workspace_id: ofDay(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    scope: ofDay(Table.uuid<string>(), ({ scope }) => scope),
    day: ofDay(Table.text, ({ date }) => date),
    spent: ofDay(Table.json(Amount), ({ spent }) => spent),
    open: ofDay(Table.json(Amount), ({ open }) => open)
  },
  ["workspace_id", "day", "scope"]
)

/** A call with its workspace, and when it counts as lost; `null` for one that is over. */
export interface KeptCall {
  readonly workspaceId: WorkspaceId
  readonly call: ModelCall
  readonly date: string
  readonly lostAt: number | null
}

const ofCall = Table.of<KeptCall>()

export const ledger = Table.make(
  "model_ledger",
  {
    id: ofCall(Table.uuid<string>(), ({ call }) => call.id),
    workspace_id: ofCall(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    workflow_id: ofCall(Table.uuid<WorkflowId>(), ({ call }) => call.workflowId),
    run_id: ofCall(Table.uuid<RunId>(), ({ call }) => call.runId),
    day: ofCall(Table.text, ({ date }) => date),
    lost_at: ofCall(Table.nullable(Table.instant), ({ lostAt }) => lostAt),
    body: ofCall(Table.json(ModelCall), ({ call }) => call)
  },
  ["id"]
)
