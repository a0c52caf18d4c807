/** The tables of starts and of the windows that workflows had. */
import { Release, type Start, type WindowRevision } from "../../../core/run/start/Start.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { sha256 } from "../Hash.ts"
import * as Table from "../tables/Table.ts"

const column = Table.of<Start>()

export const table = Table.make(
  "run_starts",
  {
    run_id: column(Table.uuid<RunId>(), ({ runId }) => runId),
    attempt: column(Table.integer, ({ attempt }) => attempt),
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    workflow_id: column(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
    at: column(Table.instant, ({ at }) => at),
    worker: column(Table.text, ({ worker }) => worker),
    gate_revision: column(Table.integer, ({ gateRevision }) => gateRevision),
    window_revision: column(Table.integer, ({ windowRevision }) => windowRevision),
    window_hash: column(Table.nullable(Table.text), ({ windowHash }) => windowHash),
    lift_since: column(Table.nullable(Table.instant), ({ lift }) => lift?.since ?? null),
    lift_by: column(Table.nullable(Table.uuid<string>()), ({ lift }) => lift?.by ?? null),
    release: column(Table.nullable(Table.json(Release)), ({ release }) => release),
    zone_data: column(Table.text, ({ zoneData }) => zoneData)
  },
  ["run_id", "attempt"]
)

export type Row = Table.Row<typeof table.columns>

export const toStart = (row: Row): Start => {
  const stored = table.decode(row)
  return {
    runId: stored.run_id,
    workspaceId: stored.workspace_id,
    workflowId: stored.workflow_id,
    attempt: stored.attempt,
    at: stored.at,
    worker: stored.worker,
    gateRevision: stored.gate_revision,
    windowRevision: stored.window_revision,
    windowHash: stored.window_hash,
    lift: stored.lift_since === null ? null : { since: stored.lift_since, by: stored.lift_by ?? "" },
    release: stored.release,
    zoneData: stored.zone_data
  }
}

const ofWindow = Table.of<WindowRevision>()

/** The windows that workflows had, which a trigger of the database keeps. */
export const windows = Table.make(
  "run_windows",
  {
    workflow_id: ofWindow(Table.uuid<string>(), ({ workflowId }) => workflowId),
    revision: ofWindow(Table.integer, ({ revision }) => revision),
    definition: ofWindow(Table.nullable(Table.text), ({ definition }) => definition),
    set_at: ofWindow(Table.nullable(Table.instant), ({ setAt }) => setAt)
  },
  ["workflow_id", "revision"]
)

export type WindowRow = Table.Row<typeof windows.columns>

export const toWindow = (row: WindowRow): WindowRevision => {
  const { definition, revision, set_at, workflow_id } = windows.decode(row)
  const hash = definition === null ? null : sha256(definition)
  return { workflowId: workflow_id, revision, definition, hash, setAt: set_at }
}
