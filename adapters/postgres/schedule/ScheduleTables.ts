/** The tables of schedules and their firings. */
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "../tables/Table.ts"

const column = Table.of<RunSchedule.RunSchedule>()

const ids = {
  id: column(Table.uuid<RunSchedule.ScheduleId>(), ({ id }) => id),
  workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
  workflow_id: column(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId)
}

const state = {
  revision: column(Table.integer, ({ revision }) => revision),
  due_at: column(Table.nullable(Table.instant), RunSchedule.dueAt),
  waits: column(Table.flag, RunSchedule.waits),
  window_revision: column(Table.nullable(Table.integer), ({ windowRevision }) => windowRevision),
  runs: column(Table.texts, ({ runs }) => runs),
  body: column(Table.json(RunSchedule.RunSchedule), (schedule) => schedule)
}

export const schedules = Table.make("schedules", { ...ids, ...state }, ["id"])

/** The columns that a change writes. */
export const states = Table.make("schedules", state, [])

const whole = Table.make("schedules", { id: ids.id, body: state.body }, ["id"])

/** A schedule, where it is selected as `schedule_id` and `body`. */
export const toSchedule = (row: { readonly schedule_id: RunSchedule.ScheduleId; readonly body: string }) =>
  whole.decode({ id: row.schedule_id, body: row.body }).body

/** A firing of a schedule. */
interface Fired extends RunSchedule.Firing {
  readonly scheduleId: RunSchedule.ScheduleId
}

const fired = Table.of<Fired>()

export const firings = Table.make(
  "schedule_firings",
  {
    schedule_id: fired(Table.uuid<RunSchedule.ScheduleId>(), ({ scheduleId }) => scheduleId),
    instant: fired(Table.instant, ({ instant }) => instant),
    by_hand: fired(Table.flag, ({ byHand }) => byHand),
    decided_at: fired(Table.instant, ({ decidedAt }) => decidedAt),
    outcome: fired(Table.textOf(RunSchedule.FiringOutcome), ({ outcome }) => outcome),
    run_id: fired(Table.nullable(Table.uuid<RunId>()), ({ runId }) => runId),
    reason: fired(Table.nullable(Table.text), ({ reason }) => reason)
  },
  ["schedule_id", "instant"]
)

export const toFiring = (row: Table.Row<typeof firings.columns>): RunSchedule.Firing => {
  const stored = firings.decode(row)
  return {
    instant: stored.instant,
    byHand: stored.by_hand,
    decidedAt: stored.decided_at,
    outcome: stored.outcome,
    runId: stored.run_id,
    reason: stored.reason
  }
}
