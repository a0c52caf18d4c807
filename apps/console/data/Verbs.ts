/** Verbs for several runs. A verb shows its effect beforehand, and the outcome of each run afterwards. */
import { Effect } from "effect"
import { client } from "../kit/Service.ts"

export interface Answer {
  readonly counts: Readonly<Record<string, number>>
  readonly results: ReadonlyArray<{
    readonly session_id: string
    readonly outcome: string
    readonly message: string | null
    readonly retry_session_id?: string | null
    /** Of a retry. */
    readonly workflow_id?: string | null
  }>
}

/** The runs that a verb applies to: those with given ids, or all that match the parameters of `GET /runs`. */
export type Selection =
  | { readonly session_ids: ReadonlyArray<string> }
  | { readonly filter: Readonly<Record<string, string>> }

/** What a verb did to one page of a selection. */
interface Page extends Answer {
  readonly next_cursor: string | null
}

/** What the reader says about a verb: each verb takes one of them. */
export interface Terms {
  /** The version that new runs execute: that of each run, or the latest one. */
  readonly version: "same" | "latest"
  /** Kept with the runs. */
  readonly reason: string
}

export const noTerms: Terms = { version: "same", reason: "" }

type Asked = Selection & { readonly dry_run: boolean; readonly cursor?: string }

export interface Verb {
  /** The label of the button. */
  readonly word: string
  readonly done: string
  readonly note: string
  readonly isDangerous: boolean
  /** What the reader may say about it. */
  readonly takes: keyof Terms | null
  /** The outcome of a run that the verb changed. */
  readonly outcome: string
  /** Asks for one page of a selection. */
  readonly ask: (asked: Asked, terms: Terms) => Effect.Effect<Page, unknown>
}

/** Applies a verb to all runs of a selection, or asks what it would do. */
export const askFor = (
  { ask }: Verb,
  selection: Selection,
  isDry: boolean,
  terms: Terms = noTerms
): Effect.Effect<Answer, unknown> => {
  const from = (cursor: string | null, before: Answer): Effect.Effect<Answer, unknown> =>
    Effect.flatMap(ask({ ...selection, dry_run: isDry, ...(cursor === null ? {} : { cursor }) }, terms), (page) => {
      const all = joined(before, page)
      return page.next_cursor === null ? Effect.succeed(all) : from(page.next_cursor, all)
    })
  return from(null, { counts: {}, results: [] })
}

/** The sums of the outcomes of two pages. */
export const joined = (one: Answer, other: Answer): Answer => {
  const counts = { ...one.counts }
  for (const [outcome, count] of Object.entries(other.counts)) counts[outcome] = (counts[outcome] ?? 0) + count
  return { counts, results: [...one.results, ...other.results] }
}

export const verbs = {
  release: {
    word: "Start",
    done: "released",
    note: "These runs start now although their window is closed. Other runs of their workflows stay held.",
    isDangerous: false,
    takes: null,
    outcome: "released",
    ask: (payload) => client().runVerbs.release({ payload })
  },
  retry: {
    word: "Retry",
    done: "submitted again",
    note: "Each is submitted again as a new run with the same inputs.",
    isDangerous: false,
    takes: "version",
    outcome: "retried",
    ask: (payload, { version }) => client().runVerbs.retry({ payload: { ...payload, version } })
  },
  interrupt: {
    word: "Interrupt",
    done: "interrupted",
    note: "A stopped run is not started again automatically.",
    isDangerous: true,
    takes: "reason",
    outcome: "interrupted",
    ask: (payload, { reason }) =>
      client().runVerbs.interruptAll({
        payload: { ...payload, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) }
      })
  }
} as const satisfies Readonly<Record<string, Verb>>

const outcomeWords: Readonly<Record<string, string>> = {
  released: "will start now",
  already_released: "were released before",
  held_by_pause: "stay held by a pause",
  not_waiting: "are not waiting",
  interrupted: "will be stopped",
  already_ended: "have ended already",
  retried: "will be submitted again",
  not_ended: "have not ended yet",
  not_repeatable: "must not be repeated automatically",
  already_retried: "were retried before",
  invalid_input: "have inputs that the workflow refuses",
  workflow_deleted: "are of a deleted workflow",
  not_found: "no longer exist"
}

/** The effect of a verb as lines: the number of runs with each outcome. */
export const preview = ({ counts }: Answer): ReadonlyArray<{ readonly outcome: string; readonly line: string }> =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => ({
      outcome,
      line: `${count.toLocaleString("en")} ${count === 1 ? "run" : "runs"} ${outcomeWords[outcome] ?? outcome.replaceAll("_", " ")}`
    }))
