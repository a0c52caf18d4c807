/**
 * Runs as text for a terminal. Functions of their arguments.
 */
import * as Json from "../../../../core/workspace/Json.ts"
import type { RunListItem, RunRecord, RunSummary } from "../../../api/run/RunRecord.ts"
import * as ForecastView from "./ForecastView.ts"
import { cell, counted, instant, lasted, number, table } from "./Table.ts"

export type Listed = typeof RunListItem.Type
export type Record = typeof RunRecord.Type

const words: Readonly<globalThis.Record<string, string>> = {
  "execution.queued": "waiting",
  "execution.paused": "held",
  "execution.start": "running",
  "execution.success": "succeeded",
  "execution.failed": "failed",
  "execution.stopped": "stopped",
  "execution.requeued": "waiting again"
}

/** A status by the word that the commands print for it, or by its own name. */
export const statusNamed = (name: string): string =>
  Object.entries(words).find(([, word]) => word === name)?.[0] ?? name

/** A status in a word. */
export const statusOf = (status: string): string => words[status] ?? status

const holdWords: Readonly<globalThis.Record<string, string>> = {
  run_window: "window closed",
  manual: "paused",
  credential: "credential in use",
  login: "another run signs in",
  browser: "lost its browser",
  retry_delay: "tried again later",
  pace: "pace",
  capacity: "no free worker",
  deadline: "ends without a start"
}

const errorOf = ({ error }: Listed): string =>
  error === null ? "" : cell(`${error.error_code === null ? "" : `${error.error_code}: `}${error.message}`, 60)

const heads = [
  "RUN",
  "STATUS",
  "WORKFLOW",
  "SUBMITTED",
  "TOOK",
  "PRIORITY",
  "START BY",
  "REFERENCE",
  "TAGS",
  "HELD BY",
  "ERROR"
]

/** A page of the list of runs. */
export const list = (page: {
  readonly runs: ReadonlyArray<Listed>
  readonly total: string
  readonly next_cursor: string | null
}): string => {
  if (page.runs.length === 0) return "No runs"
  const rows = page.runs.map((run) => [
    run.session_id,
    statusOf(run.status),
    cell(run.workflow_name, 30),
    instant(run.created_at),
    lasted(run.duration_ms),
    run.priority === 0 ? "" : String(run.priority),
    instant(run.start_by),
    cell(run.reference ?? "", 40),
    cell(run.tags.join(", "), 30),
    run.holds.map((hold) => holdWords[hold] ?? hold).join(", "),
    errorOf(run)
  ])
  // Few runs have these: their columns stand where one has.
  const optional: { readonly [head: string]: boolean } = {
    PRIORITY: page.runs.some(({ priority }) => priority !== 0),
    "START BY": page.runs.some(({ start_by }) => start_by !== null),
    REFERENCE: page.runs.some(({ reference }) => reference !== null),
    TAGS: page.runs.some(({ tags }) => tags.length > 0)
  }
  const isShown = (head: string) => optional[head] ?? true
  const shown = `${number(page.runs.length)} of ${page.total} runs`
  return [
    table(
      heads.filter(isShown),
      rows.map((cells) => cells.filter((_, at) => isShown(heads[at] ?? "")))
    ),
    page.next_cursor === null ? shown : `${shown}; the next ones: --cursor ${page.next_cursor}`
  ].join("\n")
}

type Summary = typeof RunSummary.Type

/** The counts of a summary, each under its heading. */
export const summary = (counts: Summary): string => {
  const count = ({ count, exact }: { readonly count: number; readonly exact: boolean }) =>
    `${number(count)}${exact ? "" : "+"}`
  const part = (heading: string, rows: ReadonlyArray<readonly [string, string]>) =>
    rows.length === 0 ? [] : [heading, ...rows.map(([name, value]) => `  ${value.padStart(8)}  ${cell(name, 120)}`)]
  const named = <A extends { readonly count: number }>(rows: ReadonlyArray<A>, name: (row: A) => string) =>
    rows.map((row) => [name(row), number(row.count)] as const)
  return [
    counts.total.exact ? counted(counts.total.count, "run") : `${count(counts.total)} runs`,
    ...part(
      "By status",
      Object.entries(counts.statuses).map(([status, one]) => [statusOf(status), count(one)] as const)
    ),
    ...part(
      "Why they wait",
      Object.entries(counts.holds).map(([hold, one]) => [holdWords[hold] ?? hold, count(one)] as const)
    ),
    ...part(
      "By workflow",
      named(counts.workflows, ({ workflow_id, workflow_name }) => `${workflow_id}  ${workflow_name}`)
    ),
    ...part(
      "By error code",
      named(counts.error_codes, ({ error_code }) => error_code)
    ),
    ...part(
      "By tag",
      named(counts.tags, ({ tag }) => tag)
    ),
    ...counts.forecasts.map(
      (forecast) => `Of workflow ${forecast.workflow_id}, ${ForecastView.sentence(forecast, "UTC")} (UTC)`
    ),
    ...(counts.complete ? [] : [`Workflows, error codes and tags: of the newest ${number(counts.counted_runs)} runs`])
  ].join("\n")
}

const pair = ([name, value]: readonly [string, string]): ReadonlyArray<string> =>
  value === "" ? [] : [`${name.padEnd(10)} ${value}`]

const messageOf = (error: Record["errors"][number]): string => {
  const { error_code, message } = error
  return cell([error_code, message].filter((part) => part != null && part !== "").join(": ") || JSON.stringify(error))
}

/** A step that was reported, in one line; `null` for an event that is no step. */
export const step = (event: { readonly event: string; readonly payload: unknown; readonly at?: string }): string => {
  const payload = Json.objectOf(event.payload)
  const words = ["current_step", "step_name", "node_name", "message", "reason"]
    .map((name) => payload[name])
    .filter((value) => typeof value === "string" && value !== "")
  return cell(
    `${event.at === undefined ? "" : `${event.at.slice(11, 19)}  `}${event.event}  ${words.join("  ")}`.trim(),
    200
  )
}

const warningsOf = ({ warning_count, warnings }: Pick<Record, "warning_count" | "warnings">): ReadonlyArray<string> => [
  ...warnings.map(({ code, message, node }) => `Warning    ${cell(`${code}: ${message} (in "${node.name}")`)}`),
  ...(warning_count > warnings.length ? [`Warnings   ${number(warning_count)} in all`] : [])
]

/** A run with its steps, errors, warnings and results. */
export const record = (run: Record): string =>
  [
    ...(
      [
        ["Run", run.session_id],
        ["Status", statusOf(run.status)],
        ["Workflow", run.workflow_id],
        ["Version", run.version_id],
        ["Submitted", `${instant(run.created_at)} by ${run.trigger}`],
        ["Started", instant(run.execution_start)],
        ["Ended", instant(run.execution_end)],
        ["Can start", instant(run.can_start_at)],
        ["Start by", instant(run.start_by)],
        ["Priority", run.priority === 0 ? "" : String(run.priority)],
        ["Reference", run.reference ?? ""],
        ["Waits for", run.waits_for.map(({ reason }) => holdWords[reason] ?? reason).join(", ")],
        ["Tags", run.tags.join(", ")],
        ["Retries", run.retry === null ? "" : run.retry.of],
        ["Retried as", run.retried_as.join(", ")],
        ["Released", run.release === null ? "" : `${instant(run.release.at)} by ${run.release.by}`],
        ["Certainty", run.outcome_certainty ?? ""],
        ["Input", cell(JSON.stringify(run.input_variables), 400)],
        ["Output", run.data === null ? "" : cell(JSON.stringify(run.data), 400)]
      ] as const
    ).flatMap(pair),
    ...run.errors.map((error) => `Error      ${messageOf(error)}`),
    ...warningsOf(run),
    ...(run.events.length === 0 ? [] : ["Events"]),
    ...run.events.map((event) => `  ${step(event)}`)
  ].join("\n")

/** The ends of runs that were waited for. */
export const ended = (
  runs: ReadonlyArray<{ readonly session_id: string; readonly status: string; readonly errors: Record["errors"] }>
): string =>
  runs
    .map(({ errors, session_id, status }) =>
      `${session_id}  ${statusOf(status)}  ${errors.map(messageOf).join("; ")}`.trimEnd()
    )
    .join("\n")

/** Names the runs that have not ended in time, the first five of many. */
export const notEnded = (ids: ReadonlyArray<string>, seconds: number): string => {
  const named = ids.slice(0, 5).join(", ")
  return ids.length === 1
    ? `Run ${named} has not ended after ${seconds} s`
    : `${ids.length} runs have not ended after ${seconds} s: ${named}${ids.length > 5 ? ", …" : ""}`
}
