/** The table of gates. */
import * as Gate from "../../../core/gate/Gate.ts"
import type { PastWindow } from "../../../core/gate/GateStore.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import type { Workflow } from "../../../core/workflow/Workflow.ts"
import type { WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

/** A gate with its derived interval, as stored in its row. */
interface Decided {
  readonly gate: Gate.Gate
  readonly interval: Gate.StartInterval | null
  readonly reviewAt: number
  /** The version of the time zone data that the interval follows from; `null` where none were needed, or are known. */
  readonly zoneData: string | null
}

/** Windows by their text, so that equal windows share one compiled schedule. */
const windows = new Map<string, RunWindow.ValidRunWindow>()
const mostWindows = 10_000

const windowText = Table.json(Table.jsonObject)

const window: Table.Type<RunWindow.ValidRunWindow, string> = {
  ...Table.text,
  encode: (value) => JSON.stringify(value),
  decode: (stored) => {
    const known = windows.get(stored)
    if (known !== undefined) return known
    const read = RunWindow.stored(windowText.decode(stored))
    if (windows.size >= mostWindows) windows.clear()
    windows.set(stored, read)
    return read
  }
}

/** An instant, or `null` for never. */
const whenever = (at: number | undefined): number | null => (at === undefined || at === Infinity ? null : at)

const column = Table.of<Decided>()
const instant = Table.nullable(Table.instant)
const user = Table.nullable(Table.uuid<string>())

const decided = {
  run_window: column(Table.nullable(window), ({ gate }) => gate.runWindow),
  window_set_at: column(instant, ({ gate }) => gate.windowSet?.at ?? null),
  window_set_by: column(user, ({ gate }) => gate.windowSet?.by ?? null),
  window_revision: column(Table.integer, ({ gate }) => gate.windowRevision),
  revision: column(Table.integer, ({ gate }) => gate.revision),
  lift_since: column(instant, ({ gate }) => gate.lift?.since ?? null),
  lift_by: column(user, ({ gate }) => gate.lift?.by ?? null),
  paused_at: column(instant, ({ gate }) => gate.pause?.since ?? null),
  paused_until: column(instant, ({ gate }) => gate.pause?.until ?? null),
  paused_by: column(user, ({ gate }) => gate.pause?.by ?? null),
  paused_reason: column(Table.nullable(Table.text), ({ gate }) => gate.pause?.reason ?? null),
  max_starts_per_minute: column(Table.nullable(Table.integer), ({ gate }) => gate.pace?.maxStartsPerMinute ?? null),
  max_running: column(Table.nullable(Table.integer), ({ gate }) => gate.pace?.maxRunning ?? null),
  removed_at: column(instant, ({ gate }) => gate.removedAt)
}

/** Derived, so that a claim need not evaluate windows. */
const derived = {
  starts_at: column(instant, ({ interval }) => whenever(interval?.startsAt)),
  stops_at: column(instant, ({ interval }) => whenever(interval?.stopsAt)),
  review_at: column(instant, ({ reviewAt }) => whenever(reviewAt)),
  zone_data: column(Table.nullable(Table.text), ({ zoneData }) => zoneData)
}

const state = Table.make("gates", { ...decided, ...derived }, [])
const intervals = Table.make("gates", derived, [])

const placed = Table.of<{ readonly workflowId: WorkflowId; readonly workspaceId: WorkspaceId }>()

const ids = {
  workflow_id: placed(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
  workspace_id: placed(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId)
}

/** A gate as it is read. */
const stored = Table.make("gates", { workflow_id: ids.workflow_id, ...decided }, ["workflow_id"])

export type Row = Table.Row<typeof stored.columns>

/** Whether limits may count the runs of a row: the number of the latest change of one; `null` where none can. */
export interface LimitedRow {
  readonly limited: bigint | null
}

/** A row of the windows that workflows had. */
export interface WindowRow {
  readonly revision: number
  readonly definition: string | null
  readonly set_at: Date | null
  readonly set_by: string | null
}

export const toWindow = ({ definition, revision, set_at, set_by }: WindowRow): PastWindow => ({
  revision,
  window: definition === null ? null : window.decode(definition),
  setAt: set_at?.getTime() ?? null,
  setBy: set_by
})

/** The interval of a row, where a statement answers it. */
export type IntervalRow = Table.Row<Pick<typeof derived, "starts_at" | "stops_at">>

/** The interval of a row; `null` where none is in sight. */
export const toInterval = ({ starts_at, stops_at }: IntervalRow): Gate.StartInterval | null =>
  starts_at === null
    ? null
    : { startsAt: starts_at.getTime(), stopsAt: stops_at?.getTime() ?? Number.POSITIVE_INFINITY }

/** The pace of a row. */
export const paceOf = ({
  max_running: maxRunning,
  max_starts_per_minute: maxStartsPerMinute
}: Pick<Row, "max_starts_per_minute" | "max_running">): Gate.Gate["pace"] =>
  maxStartsPerMinute === null && maxRunning === null ? null : { maxStartsPerMinute, maxRunning }

export const toGate = (row: Row): Gate.Gate => {
  const read = stored.decode(row)
  return {
    runWindow: read.run_window,
    windowSet: read.window_set_at === null ? null : { at: read.window_set_at, by: read.window_set_by ?? "" },
    windowRevision: read.window_revision,
    revision: read.revision,
    lift: read.lift_since === null ? null : { since: read.lift_since, by: read.lift_by ?? "" },
    pause:
      read.paused_at === null
        ? null
        : {
            since: read.paused_at,
            until: read.paused_until,
            by: read.paused_by ?? "",
            reason: read.paused_reason ?? ""
          },
    pace: paceOf(row),
    removedAt: read.removed_at
  }
}

/** The instant at which an interval is computed, and the version of the time zone data that this is done with. */
export interface Computation {
  readonly at: number
  readonly zoneData: string | null
  /**
   * Whether these data decide. Otherwise a gate with a window lets nothing start until it is reviewed, at once, by a
   * process with newer ones.
   */
  readonly decides: boolean
}

const decide = (gate: Gate.Gate, { at, decides, zoneData }: Computation): Decided => {
  if (!decides && gate.runWindow !== null) return { gate, interval: null, reviewAt: at, zoneData }
  const interval = Gate.startInterval(gate, at)
  const reviewAt = Gate.nextReviewAt(gate, interval, at)
  return { gate, interval, reviewAt, zoneData: gate.runWindow === null ? null : zoneData }
}

export const table = Table.make("gates", { ...ids, ...decided, ...derived }, ["workflow_id"])

/** The columns of the gate of a new workflow. */
export const fromNew = (of: Pick<Workflow, "id" | "workspaceId">, gate: Gate.Gate, computed: Computation) =>
  table.encode({ workflowId: of.id, workspaceId: of.workspaceId, ...decide(gate, computed) })

/** The columns of a gate, with the interval that follows from it. */
export const fromGate = (gate: Gate.Gate, computed: Computation) => state.encode(decide(gate, computed))

/** The columns that time and time zone data alone change. */
export const intervalOf = (gate: Gate.Gate, computed: Computation) => intervals.encode(decide(gate, computed))
