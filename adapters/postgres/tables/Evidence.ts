/**
 * The tables of what is kept of runs beside their events: failures that are counted, decisions, network logs, artifacts
 * and questions.
 */
import { Schema } from "effect"
import type { RecordedExchange } from "../../../core/browser/Exchange.ts"
import * as NetworkEventJson from "../../../core/browser/NetworkEventJson.ts"
import { RunFailure } from "../../../core/event/RunFailure.ts"
import {
  type ArtifactUsage,
  Kind,
  nothing,
  type StartedUpload,
  type Summary
} from "../../../core/run/artifact/ArtifactStore.ts"
import { Decision } from "../../../core/run/evidence/Decision.ts"
import { codeOf } from "../../../core/run/evidence/ErrorReports.ts"
import type { NetworkLog, Snapshot } from "../../../core/run/evidence/EvidenceStore.ts"
import { type Interaction, Question } from "../../../core/run/interaction/Interaction.ts"
import type { Run } from "../../../core/run/Run.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

/** A failure of a run, at its position from 1. */
interface Failure {
  readonly run: Run
  readonly position: number
  readonly error: RunFailure
}

const ofFailure = Table.of<Failure>()

export const errors = Table.make(
  "run_errors",
  {
    run_id: ofFailure(Table.uuid<RunId>(), ({ run }) => run.id),
    position: ofFailure(Table.integer, ({ position }) => position),
    workspace_id: ofFailure(Table.uuid<WorkspaceId>(), ({ run }) => run.workspaceId),
    workflow_id: ofFailure(Table.uuid<WorkflowId>(), ({ run }) => run.workflowId),
    at: ofFailure(Table.instant, ({ error }) => error.at),
    error_code: ofFailure(Table.json(Schema.String), ({ error }) => codeOf(error)),
    body: ofFailure(Table.json(RunFailure), ({ error }) => error)
  },
  ["run_id", "position"]
)

const { body, error_code, run_id } = errors.columns

const counted = Table.make("run_errors", { error_code }, ["error_code"])
const reported = Table.make("run_errors", { run_id, body }, ["run_id"])

/** A code of failures as text. */
export const toCode = (row: Table.Row<typeof counted.columns>): string => counted.decode(row).error_code

/** A failure with its run. */
export const toFailure = (row: Table.Row<typeof reported.columns>) => {
  const stored = reported.decode(row)
  return { runId: stored.run_id, error: stored.body }
}

const ofSnapshot = Table.of<Snapshot>()

export const snapshots = Table.make(
  "run_snapshots",
  {
    run_id: ofSnapshot(Table.uuid<RunId>(), ({ runId }) => runId),
    node_id: ofSnapshot(Table.text, ({ nodeId }) => nodeId),
    artifact_id: ofSnapshot(Table.uuid<string>(), ({ artifactId }) => artifactId),
    at: ofSnapshot(Table.instant, ({ at }) => at)
  },
  ["run_id", "node_id"]
)

export const toSnapshot = (row: Table.Row<typeof snapshots.columns>): Snapshot => {
  const { artifact_id, at, node_id, run_id } = snapshots.decode(row)
  return { runId: run_id, nodeId: node_id, artifactId: artifact_id, at }
}

/** The state of the network log of a run. */
interface LogState extends Pick<NetworkLog, "open" | "truncated"> {
  readonly runId: RunId
}

const ofLog = Table.of<LogState>()

export const logs = Table.make(
  "network_logs",
  {
    run_id: ofLog(Table.uuid<RunId>(), ({ runId }) => runId),
    open: ofLog(Table.flag, ({ open }) => open),
    truncated: ofLog(Table.flag, ({ truncated }) => truncated)
  },
  ["run_id"]
)

/** A decision of a run, at its position from 1. */
interface Decided {
  readonly runId: RunId
  readonly position: number
  readonly decision: Decision
}

const ofDecision = Table.of<Decided>()

export const decisions = Table.make(
  "run_decisions",
  {
    run_id: ofDecision(Table.uuid<RunId>(), ({ runId }) => runId),
    position: ofDecision(Table.integer, ({ position }) => position),
    body: ofDecision(Table.json(Decision), ({ decision }) => decision),
    at: ofDecision(Table.instant, ({ decision }) => decision.at)
  },
  ["run_id", "position"]
)

/** An exchange with the run that made it. */
interface Logged {
  readonly runId: RunId
  readonly exchange: RecordedExchange
}

const ofExchange = Table.of<Logged>()

export const exchanges = Table.make(
  "network_events",
  {
    run_id: ofExchange(Table.uuid<RunId>(), ({ runId }) => runId),
    id: ofExchange(Table.text, ({ exchange }) => exchange.id),
    started_at: ofExchange(Table.instant, ({ exchange }) => exchange.startedAt),
    body_characters: ofExchange(Table.integer, ({ exchange }) => exchange.responseBody?.length ?? 0),
    body: ofExchange(Table.json(NetworkEventJson.NetworkEvent), ({ exchange }) => NetworkEventJson.write(exchange))
  },
  ["run_id", "id"]
)

const ofArtifact = Table.of<StartedUpload>()

export const artifacts = Table.make(
  "artifacts",
  {
    id: ofArtifact(Table.uuid<string>(), ({ id }) => id),
    run_id: ofArtifact(Table.uuid<RunId>(), ({ runId }) => runId),
    workflow_id: ofArtifact(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
    kind: ofArtifact(Table.textOf(Kind), ({ kind }) => kind),
    at: ofArtifact(Table.instant, ({ at }) => at)
  },
  ["id"]
)

/** The values that the end of an upload writes. */
interface Finished {
  readonly bytes: number
  readonly at: number
}

const ofFinished = Table.of<Finished>()

export const finished = Table.make(
  "artifacts",
  {
    bytes: ofFinished(Table.bigint, ({ bytes }) => bytes),
    finished_at: ofFinished(Table.nullable(Table.instant), ({ at }) => at)
  },
  []
)

const { id, kind } = artifacts.columns
const { bytes, finished_at } = finished.columns

/** The number of artifacts of a kind that a run has, and their total size in bytes. */
const amounts = Table.make("artifacts", { kind, count: bytes, bytes }, ["kind"])

export type AmountRow = Table.Row<typeof amounts.columns>

export const toUsed = (rows: ReadonlyArray<AmountRow>): ArtifactUsage =>
  rows.map(amounts.decode).reduce(
    (used, { bytes, count, kind }) => ({
      bytes: used.bytes + bytes,
      count: { ...used.count, [kind]: count }
    }),
    nothing
  )

const videos = Table.make("artifacts", { id, finished_at }, ["id"])

export type VideoRow = Table.Row<typeof videos.columns>

/** A finished video with the instant at which it was kept. */
export const toVideos = (rows: ReadonlyArray<VideoRow>): Summary["videos"] =>
  rows.map(videos.decode).flatMap(({ finished_at, id }) => (finished_at === null ? [] : [{ id, at: finished_at }]))

/** The number of artifacts that a run left out, and when its artifacts were last removed. */
interface Totals {
  readonly runId: RunId
  readonly leftOut: number
  readonly removedAt: number | null
}

const ofTotals = Table.of<Totals>()

export const totals = Table.make(
  "artifact_totals",
  {
    run_id: ofTotals(Table.uuid<RunId>(), ({ runId }) => runId),
    left_out: ofTotals(Table.integer, ({ leftOut }) => leftOut),
    removed_at: ofTotals(Table.nullable(Table.instant), ({ removedAt }) => removedAt)
  },
  ["run_id"]
)

export type TotalsRow = Table.Row<typeof totals.columns>

const ofInteraction = Table.of<Interaction>()
const whenever = Table.nullable(Table.instant)

/** The columns that an answer changes. */
const answering = {
  answered_at: ofInteraction(whenever, ({ answeredAt }) => answeredAt),
  closed_at: ofInteraction(whenever, ({ closedAt }) => closedAt),
  answer: ofInteraction(Table.nullable(Table.text), ({ answer }) => answer)
}

export const answers = Table.make("interactions", answering, [])

export const interactions = Table.make(
  "interactions",
  {
    run_id: ofInteraction(Table.uuid<RunId>(), ({ runId }) => runId),
    id: ofInteraction(Table.uuid<string>(), ({ id }) => id),
    workspace_id: ofInteraction(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    workflow_id: ofInteraction(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
    fence: ofInteraction(Table.bigint, ({ fence }) => fence),
    question: ofInteraction(Table.encoded(Question), ({ message, node, schema, subject }) => ({
      message,
      node,
      schema,
      subject
    })),
    asked_at: ofInteraction(Table.instant, ({ askedAt }) => askedAt),
    expires_at: ofInteraction(Table.instant, ({ expiresAt }) => expiresAt),
    ...answering
  },
  ["run_id"]
)

export type InteractionRow = Table.Row<typeof interactions.columns>

export const toInteraction = (row: InteractionRow): Interaction => {
  const stored = interactions.decode(row)
  return {
    ...stored.question,
    id: stored.id,
    workspaceId: stored.workspace_id,
    workflowId: stored.workflow_id,
    runId: stored.run_id,
    fence: stored.fence,
    askedAt: stored.asked_at,
    expiresAt: stored.expires_at,
    answeredAt: stored.answered_at,
    closedAt: stored.closed_at,
    answer: stored.answer
  }
}
