/**
 * How gates, runs and workflows stand in the rows of the database. Rows are written by these functions only, so reading
 * them back trusts what they wrote.
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { expiryOf, type LoggedEvent, RunEvent } from "../../core/event/RunEvent.ts"
import type { RunFailure } from "../../core/event/RunFailure.ts"
import * as Gate from "../../core/gate/Gate.ts"
import type { Credential } from "../../core/run/Credentials.ts"
import { fromStored, type Options, type Run, type StoredRun, type StoredStatus } from "../../core/run/Run.ts"
import * as Slots from "../../core/run/Slots.ts"
import * as RunWindow from "../../core/window/RunWindow.ts"
import type { Content, Workflow, WorkflowVersion } from "../../core/workflow/Workflow.ts"
import { RunId, UserId, VersionId, WorkflowId, WorkspaceId } from "../../core/workspace/Ids.ts"

export interface GateRow {
  readonly workflow_id: string
  readonly workspace_id: string
  readonly run_window: string | null
  readonly window_set_at: Date | null
  readonly window_set_by: string | null
  readonly revision: number
  readonly lift_since: Date | null
  readonly lift_by: string | null
  readonly paused_at: Date | null
  readonly paused_until: Date | null
  readonly paused_by: string | null
  readonly paused_reason: string | null
  readonly removed_at: Date | null
}

export interface RunRow {
  readonly id: string
  readonly workspace_id: string
  readonly workflow_id: string
  readonly version_id: string
  readonly status: StoredStatus
  readonly input: string
  readonly credentials: string
  readonly options: string
  /** `dryRun.addToOutput` of the options, in a column of its own so that its stored size is known. */
  readonly added_output: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
  readonly attempts: number
  readonly retries: number
  readonly max_retries: number
  readonly not_before: Date
  readonly expires_at: Date | null
  readonly lease_worker: string | null
  readonly lease_fence: bigint | null
  readonly lease_until: Date | null
  readonly acted: boolean
  readonly committed: boolean
  readonly data: string
  readonly errors: string
}

/** How a run reads at an instant, where it is joined with its gate: see `Run.statusAt`. */
export const statusAt = (sql: SqlClient.SqlClient, at: number) => sql`
  case when runs.ended_at is null and runs.status <> 'execution.start' and not coalesce(
      starts_at <= ${new Date(at)} and (stops_at is null or stops_at > ${new Date(at)}), false)
    then 'execution.paused' else runs.status end`

export interface EventRow extends EventFacts {
  readonly sequence: bigint
  readonly run_id: string
  readonly at: Date
}

export interface EventFacts {
  readonly event: string
  readonly payload: string
  readonly expires_at: Date | null
}

export interface WorkflowRow {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly description: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly created_by: string
}

export interface VersionRow {
  readonly version_id: string
  readonly workflow_id: string
  readonly version_number: number
  readonly created_at: Date
  readonly created_by: string
  readonly version_note: string | null
  readonly nodes: string
  readonly edges: string
  readonly input_schema: string
  readonly output_schema: string
  readonly vault_schema: string
  readonly max_retries: number
  readonly settings: string
}

/** Windows by their text, so that equal windows share one compiled schedule. */
const windows = new Map<string, RunWindow.ValidRunWindow>()

export const toGate = (row: GateRow): Gate.Gate => ({
  runWindow: row.run_window === null ? null : toWindow(row.run_window),
  windowSet: row.window_set_at === null ? null : { at: row.window_set_at.getTime(), by: row.window_set_by ?? "" },
  revision: row.revision,
  lift: row.lift_since === null ? null : { since: row.lift_since.getTime(), by: row.lift_by ?? "" },
  pause:
    row.paused_at === null
      ? null
      : {
          since: row.paused_at.getTime(),
          until: row.paused_until?.getTime() ?? null,
          by: row.paused_by ?? "",
          reason: row.paused_reason ?? ""
        },
  removedAt: row.removed_at?.getTime() ?? null
})

/** The columns of a gate, with the passage that follows from it at `at`. */
export const fromGate = (gate: Gate.Gate, at: number) => {
  const passage = Gate.passage(gate, at)
  return {
    run_window: gate.runWindow === null ? null : JSON.stringify(gate.runWindow),
    window_set_at: toDate(gate.windowSet?.at ?? null),
    window_set_by: gate.windowSet?.by ?? null,
    revision: gate.revision,
    lift_since: toDate(gate.lift?.since ?? null),
    lift_by: gate.lift?.by ?? null,
    paused_at: toDate(gate.pause?.since ?? null),
    paused_until: toDate(gate.pause?.until ?? null),
    paused_by: gate.pause?.by ?? null,
    paused_reason: gate.pause?.reason ?? null,
    removed_at: toDate(gate.removedAt),
    starts_at: toDate(passage?.startsAt ?? null),
    stops_at: toDate(passage?.stopsAt ?? null),
    review_at: toDate(Gate.reviewAt(gate, passage, at))
  }
}

export const toRun = (row: RunRow): Run => fromStored(storedRun(row))

const storedRun = (row: RunRow): StoredRun => ({
  id: RunId.make(row.id),
  workspaceId: WorkspaceId.make(row.workspace_id),
  workflowId: WorkflowId.make(row.workflow_id),
  versionId: VersionId.make(row.version_id),
  status: row.status,
  input: JSON.parse(row.input) as Schema.JsonObject,
  credentials: JSON.parse(row.credentials) as Run["credentials"],
  options: toOptions(row),
  createdAt: row.created_at.getTime(),
  startedAt: row.started_at?.getTime() ?? null,
  endedAt: row.ended_at?.getTime() ?? null,
  attempts: row.attempts,
  retries: row.retries,
  maxRetries: row.max_retries,
  notBefore: row.not_before.getTime(),
  expiresAt: row.expires_at?.getTime() ?? null,
  lease:
    row.lease_fence === null || row.lease_until === null
      ? null
      : { worker: row.lease_worker ?? "", fence: Number(row.lease_fence), until: row.lease_until.getTime() },
  progress: { acted: row.acted, committed: row.committed },
  data: JSON.parse(row.data) as Schema.Json,
  errors: JSON.parse(row.errors) as ReadonlyArray<RunFailure>
})

/** The options of a run, whole again. */
export const toOptions = (row: Pick<RunRow, "options" | "added_output">): Options => {
  const options = JSON.parse(row.options) as Options
  return row.added_output === null || options.dryRun === undefined
    ? options
    : { ...options, dryRun: { ...options.dryRun, addToOutput: JSON.parse(row.added_output) as Schema.Json } }
}

const fromOptions = ({ dryRun, ...options }: Options) => {
  if (dryRun === undefined) return { options: JSON.stringify(options), added_output: null }
  const { addToOutput, ...rest } = dryRun
  return {
    options: JSON.stringify({ ...options, dryRun: rest }),
    added_output: addToOutput === undefined ? null : JSON.stringify(addToOutput)
  }
}

/** The columns of a run. `input` is the text of its input where it is known already. */
export const fromRun = (run: Run, input = JSON.stringify(run.input)) => ({
  id: run.id,
  workspace_id: run.workspaceId,
  workflow_id: run.workflowId,
  version_id: run.versionId,
  input,
  ...fromOptions(run.options),
  client_id: run.options.clientId ?? null,
  created_at: new Date(run.createdAt),
  max_retries: run.maxRetries,
  expires_at: toDate(run.expiresAt),
  ...fromRunState(run)
})

/** Names what decides whether a run can be given slots; empty for a run that needs none. */
export const queueOf = (credentials: ReadonlyArray<Credential>): string => {
  const queue = Slots.queue(credentials)
  return queue === null ? "" : createHash("sha256").update(queue).digest("hex")
}

/** The columns of a run that its transitions change. */
export const fromRunState = (run: Run) => ({
  status: run.status,
  credentials: JSON.stringify(run.credentials),
  queue: queueOf(run.credentials),
  started_at: toDate(run.startedAt),
  ended_at: toDate(run.endedAt),
  attempts: run.attempts,
  retries: run.retries,
  not_before: new Date(run.notBefore),
  lease_worker: run.lease?.worker ?? null,
  lease_fence: run.lease === null ? null : BigInt(run.lease.fence),
  lease_until: toDate(run.lease?.until ?? null),
  acted: run.progress.acted,
  committed: run.progress.committed,
  data: JSON.stringify(run.data),
  errors: JSON.stringify(run.errors)
})

const decodeEvent = Schema.decodeUnknownSync(RunEvent)

export const toLogged = (row: EventRow): LoggedEvent => ({
  sequence: Number(row.sequence),
  runId: row.run_id,
  at: row.at.getTime(),
  event: toEvent(row)
})

export const toEvent = ({ event, expires_at, payload }: EventFacts): RunEvent =>
  decodeEvent({
    ...(JSON.parse(payload) as Schema.JsonObject),
    event,
    ...(expires_at === null ? {} : { expiresAt: expires_at.getTime() })
  })

/** The columns of an event. `payload` has all of its facts but its kind and its expiry. */
export const fromEvent = (event: RunEvent): EventFacts => ({
  event: event.event,
  payload: JSON.stringify({ ...event, event: undefined, expiresAt: undefined }),
  expires_at: toDate(expiryOf(event))
})

export const toWorkflow = (row: WorkflowRow): Workflow => ({
  id: WorkflowId.make(row.id),
  workspaceId: WorkspaceId.make(row.workspace_id),
  name: row.name,
  description: row.description,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  createdBy: UserId.make(row.created_by)
})

export const fromWorkflow = (workflow: Workflow) => ({
  id: workflow.id,
  workspace_id: workflow.workspaceId,
  name: workflow.name,
  description: workflow.description,
  created_at: new Date(workflow.createdAt),
  updated_at: new Date(workflow.updatedAt),
  created_by: workflow.createdBy
})

export const toVersion = (row: VersionRow): WorkflowVersion => ({
  versionId: VersionId.make(row.version_id),
  workflowId: WorkflowId.make(row.workflow_id),
  versionNumber: row.version_number,
  createdAt: row.created_at.getTime(),
  createdBy: UserId.make(row.created_by),
  versionNote: row.version_note,
  content: {
    nodes: JSON.parse(row.nodes) as Content["nodes"],
    edges: JSON.parse(row.edges) as Content["edges"],
    input_schema: JSON.parse(row.input_schema) as Content["input_schema"],
    output_schema: JSON.parse(row.output_schema) as Content["output_schema"],
    vault_schema: JSON.parse(row.vault_schema) as Content["vault_schema"],
    max_retries: row.max_retries,
    settings: JSON.parse(row.settings) as Content["settings"]
  }
})

export const fromVersion = (version: WorkflowVersion) => ({
  version_id: version.versionId,
  workflow_id: version.workflowId,
  version_number: version.versionNumber,
  created_at: new Date(version.createdAt),
  created_by: version.createdBy,
  version_note: version.versionNote,
  nodes: JSON.stringify(version.content.nodes),
  edges: JSON.stringify(version.content.edges),
  input_schema: JSON.stringify(version.content.input_schema),
  output_schema: JSON.stringify(version.content.output_schema),
  vault_schema: JSON.stringify(version.content.vault_schema),
  max_retries: version.content.max_retries,
  settings: JSON.stringify(version.content.settings)
})

const toWindow = (text: string): RunWindow.ValidRunWindow => {
  const known = windows.get(text)
  if (known !== undefined) return known
  if (windows.size >= 10_000) windows.clear()
  const window = RunWindow.stored(JSON.parse(text))
  windows.set(text, window)
  return window
}

/** An instant as a date; none for `null` and for what never comes. */
const toDate = (at: number | null): Date | null => (at === null || at === Infinity ? null : new Date(at))
