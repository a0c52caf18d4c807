/**
 * Why a run has not started, in one paragraph for a person. A function of its arguments.
 */
import { type Record, statusOf } from "./RunsView.ts"
import { cell, local } from "./Table.ts"

/** What is known of a run. */
export interface Known {
  readonly run: Record
  readonly workflowName: string | null
  /** The time zone of the run window; UTC without one. */
  readonly zone: string | null
}

const waiting: ReadonlySet<string> = new Set(["execution.queued", "execution.paused", "execution.requeued"])

type Wait = Record["waits_for"][number]

/** What a wait means that is neither a run window nor a pause, and what can be done. */
const waitSentence = (
  { ahead, credential, limit, limit_name, reason, until }: Wait,
  shown: (iso: string) => string
): string | null => {
  const named = credential === null ? "Its credential" : `The credential of its input "${cell(credential, 100)}"`
  const about = until === null ? "at an instant that is not in sight" : `at about ${shown(until)}`
  const before = ahead === null || ahead === 0 ? "" : `, after ${ahead} other ${ahead === 1 ? "run" : "runs"} of it`
  switch (reason) {
    case "run_window":
    case "manual":
      return null
    case "retry_delay":
      return `It is tried again${until === null ? " later" : ` at ${shown(until)}`}.`
    case "credential":
      return `${named} is used by as many runs as it allows: it starts when one of them ends, or when max_concurrency of the credential is raised.`
    case "login":
      return `Another run signs in, and only one may at a time with the credential of its input "${cell(credential ?? "", 100)}": it starts when that run has signed in or ended.`
    case "limit":
      return `The limit "${cell(limit_name ?? "", 100)}" allows it no start now: ${until === null ? "it starts when a run that draws on the limit ends, or when the limit is resumed or changed" : `it may start at ${shown(until)}`}. To see the limit: sluice limits list.`
    case "pace":
      return `By the pace of its workflow it starts ${about}${before}.`
    case "capacity":
      if (limit === "workspace_runs") {
        return "Its workspace has all places that it may have of the workers with a free one (SLUICE_WORKSPACE_RUNS): it starts when another run of the workspace ends."
      }
      if (limit === "concurrency" && until === null) {
        return "All places of the workers are in use (SLUICE_CONCURRENCY): it starts when it is the turn of its workspace and a run ends."
      }
      return until === null && ahead === null
        ? "Nothing holds it: it starts as soon as a worker takes it. If none does, check that a worker runs."
        : `By the number of workers${limit === "concurrency" ? " (SLUICE_CONCURRENCY)" : ""} it starts ${about}${before}.`
    case "deadline":
      return `It ends without a start at ${until === null ? "its deadline" : shown(until)}, as it cannot start before.`
  }
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
  const { run, workflowName, zone } = known
  const name = `Run ${run.session_id}${workflowName === null ? "" : ` of "${cell(workflowName, 60)}"`}`
  if (!waiting.has(run.status)) {
    return run.status === "execution.start"
      ? `${name} is not held: it runs since ${local(run.execution_start ?? run.created_at, "UTC")} UTC.`
      : `${name} is not held: it has ${statusOf(run.status)}.`
  }
  const shown = (iso: string) => `${local(iso, zone ?? "UTC")} (${zone ?? "UTC"})`
  const more = run.waits_for.flatMap((wait) => waitSentence(wait, shown) ?? [])
  const reason = run.can_start_reason
  const isOfHold = reason === "run_window" || reason === "manual"
  const start =
    run.can_start_at === null || !isOfHold ? [] : [`It can start at ${shown(run.can_start_at)} at the earliest.`]
  return [`${name} waits since ${shown(run.created_at)}.`, ...holdSentences(known), ...more, ...start].join(" ")
}
