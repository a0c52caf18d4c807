/** The filters of the list of runs in the address, the parameters that they mean, and the words of a row. */
import type { RunListItem } from "../../api/run/RunRecord.ts"
import { holdWords } from "../data/Holds.ts"
import { statuses, statusOf } from "../kit/Statuses.ts"

export type Row = typeof RunListItem.Type

export interface Filters {
  readonly status: ReadonlyArray<string>
  readonly workflow: string | null
  readonly credential: string | null
  /** The reason why waiting runs have not started. */
  readonly hold: string | null
  readonly errorCode: string | null
  readonly errorCategory: string | null
  readonly errorSubType: string | null
  readonly tag: string | null
  /** Whether only runs with warnings are shown. */
  readonly warned: boolean
  /** A text in inputs and outputs. */
  readonly text: string
  /** The name of a period up to now. */
  readonly since: Since
}

export const sinces = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 } as const
export type Since = keyof typeof sinces

export const sinceWords: Readonly<Record<Since, string>> = {
  hour: "Last hour",
  day: "Last 24 hours",
  week: "Last 7 days",
  month: "Last 30 days"
}

export const filtersOf = (query: URLSearchParams): Filters => {
  const since = query.get("since")
  return {
    status: (query.get("status") ?? "").split(",").filter((one) => one !== ""),
    workflow: query.get("workflow"),
    credential: query.get("credential"),
    hold: query.get("hold"),
    errorCode: query.get("error"),
    errorCategory: query.get("category"),
    errorSubType: query.get("sub-type"),
    tag: query.get("tag"),
    warned: query.get("warned") === "yes",
    text: query.get("text") ?? "",
    since: since !== null && since in sinces ? (since as Since) : "week"
  }
}

/**
 * The filters after a click on a status: it alone, or none if it was alone. With `isAdded`, it is added to the others, or
 * removed if it was there. The reason of a hold stays only while a status of waiting runs does.
 */
export const withStatus = (
  filters: Pick<Filters, "hold" | "status">,
  status: (typeof statuses)[number],
  isAdded: boolean
): { readonly status: string; readonly hold: string | null } => {
  const [isThere, isAlone] = [filters.status.includes(status), filters.status.length === 1]
  const next = isAdded
    ? isThere
      ? filters.status.filter((one) => one !== status)
      : [...filters.status, status]
    : isThere && isAlone
      ? []
      : [status]
  const mayBeHeld = next.length === 0 || next.some((one) => waiting.has(one))
  return { status: next.join(), hold: mayBeHeld ? filters.hold : null }
}

const waiting: ReadonlySet<string> = new Set(["execution.paused", "execution.queued", "execution.requeued"])

/** What the address asks for that the console does not know, in a sentence; `null` where it knows all. */
export const unknownIn = ({ hold, status }: Pick<Filters, "hold" | "status">): string | null => {
  const unknown = status.filter((one) => !statuses.some((known) => known === one))
  const words = statuses.map((one) => statusOf(one).word).join(", ")
  if (unknown.length > 0) {
    const named = unknown.map((one) => `“${one.slice(0, 80)}”`).join(", ")
    return `The address asks for ${unknown.length === 1 ? "a status" : "statuses"} that no run has: ${named}. A run is ${words}. Choose one of these.`
  }
  return hold === null || Object.hasOwn(holdWords, hold)
    ? null
    : `The address asks for runs that wait for a reason that there is not: “${hold.slice(0, 80)}”. Choose one of: ${Object.values(holdWords).join(", ")}.`
}

/** The parameters of `GET /runs` for filters. */
export const selectionOf = (filters: Filters, now: number): Readonly<Record<string, string>> => ({
  ...(filters.status.length === 0 ? {} : { status: filters.status.join() }),
  ...(filters.workflow === null ? {} : { workflow_id: filters.workflow }),
  ...(filters.credential === null ? {} : { credential_id: filters.credential }),
  ...(filters.hold === null ? {} : { hold: filters.hold }),
  ...(filters.errorCode === null ? {} : { error_code: filters.errorCode }),
  ...(filters.errorCategory === null ? {} : { error_category: filters.errorCategory }),
  ...(filters.errorSubType === null ? {} : { error_sub_type: filters.errorSubType }),
  ...(filters.tag === null ? {} : { tag: filters.tag }),
  ...(filters.warned ? { has_warnings: "true" } : {}),
  ...(filters.text === "" ? {} : { text: filters.text }),
  start_time: new Date(now - sinces[filters.since]).toISOString()
})

/** The parameters of `GET /runs` for a page of the runs that match filters. */
export const parametersOf = (filters: Filters, now: number, limit: number, cursor: string | null) => ({
  ...selectionOf(filters, now),
  limit: String(limit),
  ...(cursor === null ? {} : { cursor })
})

/** The reason of a run's state: its hold or its failure; empty for all others. */
export const whyOf = ({ error, holds, status }: Row): string => {
  if (holds.length > 0) return holds.map((hold) => holdWords[hold] ?? hold).join(", ")
  if (error === null || status === "execution.success") return ""
  return [error.error_code, error.message].filter((one) => one !== null && one !== "").join(": ")
}

/** The execution time of a run so far; `null` before its start. */
export const tookMillis = (row: Pick<Row, "execution_end" | "execution_start">, now: number): number | null =>
  row.execution_start === null
    ? null
    : (row.execution_end === null ? now : Date.parse(row.execution_end)) - Date.parse(row.execution_start)

/** The selection after a click on a row; with `before`, also all rows from that one. */
export const selectedAfter = (
  selected: ReadonlySet<string>,
  ids: ReadonlyArray<string>,
  index: number,
  before: number | null
): ReadonlySet<string> => {
  const next = new Set(selected)
  const clicked = ids[index]
  if (clicked === undefined) return selected
  const isAdded = !selected.has(clicked)
  const [first, last] = before === null ? [index, index] : [Math.min(before, index), Math.max(before, index)]
  for (const id of ids.slice(first, last + 1)) {
    if (isAdded) next.add(id)
    else next.delete(id)
  }
  return next
}
