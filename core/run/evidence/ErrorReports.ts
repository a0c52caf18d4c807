/**
 * The failures of the runs of a workspace or of some of its workflows, counted by their code.
 */
import { Context, type Effect } from "effect"
import type { RunFailure } from "../../event/RunFailure.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"

/** Which failures: those from `from` to `to`, both included; at most `limit` of them are shown, the newest. */
export interface Frame {
  readonly from: number
  readonly to: number
  readonly limit: number
  /** Only those of runs of these workflows. */
  readonly workflowIds?: ReadonlyArray<WorkflowId>
  /** Only those with one of these codes. */
  readonly codes?: ReadonlyArray<string>
}

/** The failures with one code. `count` counts all within the frame; `errors`, newest first, are those that are shown. */
export interface Group {
  readonly code: string
  readonly count: number
  readonly errors: ReadonlyArray<{ readonly runId: RunId; readonly error: RunFailure }>
}

/** The code under which a failure is counted. */
export const codeOf = ({ code }: RunFailure): string => code ?? "UNKNOWN"

/** The order of groups: the most frequent first, and those that are equally frequent by their code. */
export const order = (a: Group, b: Group): number => b.count - a.count || (a.code < b.code ? -1 : 1)

export class ErrorReports extends Context.Service<
  ErrorReports,
  {
    /** The groups within a frame, in their order. Runs of other workspaces have no part in it. */
    readonly report: (workspaceId: WorkspaceId, frame: Frame) => Effect.Effect<ReadonlyArray<Group>, StoreUnavailable>
  }
>()("sluice/core/run/evidence/ErrorReports") {}
