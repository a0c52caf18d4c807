/** The tables of what is kept of runs beside their events: failures that are counted, decisions and network logs. */
import { Schema } from "effect"
import type { Recorded } from "../../../core/browser/Exchange.ts"
import * as NetworkEventJson from "../../../core/browser/NetworkEventJson.ts"
import { RunFailure } from "../../../core/event/RunFailure.ts"
import { Decision } from "../../../core/run/evidence/Decision.ts"
import { codeOf } from "../../../core/run/evidence/ErrorReports.ts"
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
  readonly exchange: Recorded
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
