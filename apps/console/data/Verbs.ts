/** What is done to several runs at once: each verb says what it would do before, and what became of each run after. */
import type { Effect } from "effect"
import { client } from "../kit/Service.ts"

export interface Answer {
  readonly counts: Readonly<Record<string, number>>
  readonly results: ReadonlyArray<{
    readonly session_id: string
    readonly outcome: string
    readonly message: string | null
    readonly retry_session_id?: string | null
  }>
}

export interface Verb {
  /** As the button says it. */
  readonly word: string
  readonly done: string
  readonly note: string
  readonly isDangerous: boolean
  /** The outcome of a run to which it was done. */
  readonly outcome: string
  readonly ask: (ids: ReadonlyArray<string>, isDry: boolean) => Effect.Effect<Answer, unknown>
}

export const verbs = {
  release: {
    word: "Run now",
    done: "released",
    note: "These runs start now although their window is closed. Their workflows stay held for every other run.",
    isDangerous: false,
    outcome: "released",
    ask: (session_ids, dry_run) => client().runVerbs.release({ payload: { session_ids, dry_run } })
  },
  retry: {
    word: "Retry",
    done: "submitted again",
    note: "Each is submitted again as a new run of the same version, with the same inputs.",
    isDangerous: false,
    outcome: "retried",
    ask: (session_ids, dry_run) => client().runVerbs.retry({ payload: { session_ids, dry_run } })
  },
  interrupt: {
    word: "Interrupt",
    done: "interrupted",
    note: "A run that is stopped does not start again by itself.",
    isDangerous: true,
    outcome: "interrupted",
    ask: (session_ids, dry_run) => client().runVerbs.interruptAll({ payload: { session_ids, dry_run } })
  }
} as const satisfies Readonly<Record<string, Verb>>

const outcomeWords: Readonly<Record<string, string>> = {
  released: "will start now",
  already_released: "were released before",
  held_by_pause: "stay held by a pause",
  not_waiting: "do not wait",
  interrupted: "will be stopped",
  already_ended: "have ended already",
  retried: "will be submitted again",
  not_ended: "have not ended yet",
  not_repeatable: "must not be repeated by themselves",
  already_retried: "were retried before",
  invalid_input: "have inputs that the workflow refuses",
  workflow_deleted: "are of a deleted workflow",
  not_found: "are not there any more"
}

/** What a verb would do, as lines: how many runs have each outcome. */
export const preview = ({ counts }: Answer): ReadonlyArray<{ readonly outcome: string; readonly line: string }> =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => ({
      outcome,
      line: `${count.toLocaleString("en")} ${count === 1 ? "run" : "runs"} ${outcomeWords[outcome] ?? outcome.replaceAll("_", " ")}`
    }))
