/**
 * Why a run has not started, in one paragraph for a person. A function of its arguments.
 */
import type { HoldReason } from "../../../../core/run/list/RunFilter.ts"
import { type Record, statusOf } from "./RunsView.ts"
import { cell, local } from "./Table.ts"

/** What is known of a run. `reasons` are those that the list of runs gives. */
export interface Known {
  readonly run: Record
  readonly workflowName: string | null
  readonly reasons: ReadonlyArray<HoldReason>
  /** The time zone of the run window; UTC without one. */
  readonly zone: string | null
}

const waiting: ReadonlySet<string> = new Set(["execution.queued", "execution.paused", "execution.requeued"])

/** What the reasons mean that are neither a run window nor a pause, and what can be done. */
const others: Readonly<globalThis.Record<string, string>> = {
  credential:
    "Its credential is used by as many runs as it allows: it starts when one of them ends, or when max_concurrency of the credential is raised.",
  browser: "It lost its browser. It is tried again after a pause.",
  capacity:
    "No worker is free, or the pace of its workflow allows no more starts now. It starts when another run ends, when the pace allows it, or when another worker is started."
}

const holdSentences = ({ run, zone }: Known): ReadonlyArray<string> => {
  const shown = (iso: string) => `${local(iso, zone ?? "UTC")} (${zone ?? "UTC"})`
  const id = run.session_id
  return run.holds.flatMap(({ by, kind, reason, since, until }) => {
    const ends = until === null ? "without a known end" : `until ${shown(until)}`
    const why = reason === "" ? "" : `: ${cell(reason, 300)}`
    return kind === "run_window"
      ? [
          `The run window of its workflow is closed since ${shown(since)}, ${ends}; it was set by ${cell(by, 100)}${why}.`,
          `To start this run now: sluice runs release ${id}. To change the hours: sluice window set ${run.workflow_id} FILE.`
        ]
      : [
          `Its workflow is paused since ${shown(since)}, ${ends}, by ${cell(by, 100)}${why}.`,
          `To start this run all the same: sluice runs release --past-pause ${id}.`
        ]
  })
}

/** Why a run has not started: since when, until when, by whom, and what can be done. */
export const paragraph = (known: Known): string => {
  const { reasons, run, workflowName, zone } = known
  const name = `Run ${run.session_id}${workflowName === null ? "" : ` of "${cell(workflowName, 60)}"`}`
  if (!waiting.has(run.status)) {
    return run.status === "execution.start"
      ? `${name} is not held: it runs since ${local(run.execution_start ?? run.created_at, "UTC")} UTC.`
      : `${name} is not held: it has ${statusOf(run.status)}.`
  }
  const more = reasons.flatMap((reason) => others[reason] ?? [])
  const held = [...holdSentences(known), ...more]
  const reason = run.can_start_reason
  const isEstimate = reason === "pace" || reason === "capacity"
  const start =
    run.can_start_at === null || (run.holds.length === 0 && !isEstimate)
      ? []
      : isEstimate
        ? [
            `By the ${reason === "pace" ? "pace of its workflow" : "number of workers"} it starts at about ${local(run.can_start_at, zone ?? "UTC")} (${zone ?? "UTC"}).`
          ]
        : [`It can start at ${local(run.can_start_at, zone ?? "UTC")} (${zone ?? "UTC"}) at the earliest.`]
  const nothing = "Nothing holds it: it starts as soon as a worker is free. If none takes it, check that a worker runs."
  const head = `${name} waits since ${local(run.created_at, zone ?? "UTC")} (${zone ?? "UTC"}).`
  return [head, ...(held.length === 0 ? [nothing] : held), ...start].join(" ")
}
