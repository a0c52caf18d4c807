/**
 * The conditions that select runs of a workspace: what lists show, and what verbs on many runs apply to.
 *
 * Everything here is a function of its arguments; instants are epoch milliseconds.
 */
import { Schema } from "effect"
import type { WorkflowId } from "../../workspace/Ids.ts"
import { codeOf } from "../evidence/ErrorReports.ts"
import * as Waits from "../hold/Waits.ts"
import * as Run from "../Run.ts"

/**
 * Why a waiting run has not started: its run window is closed, its workflow is paused, its credentials are in use, a
 * named limit allows it no start, it lost its browser and is tried again later, or it waits for a free worker or for the pace of its workflow.
 */
export const HoldReason = Schema.Literals(["run_window", "manual", "credential", "limit", "browser", "capacity"])
export type HoldReason = typeof HoldReason.Type

/**
 * The conditions on a run, all of which it has to satisfy. Of several values of one condition, one is enough; a
 * condition that is left out holds for every run.
 */
export interface RunFilter {
  readonly workflowIds?: ReadonlyArray<WorkflowId>
  /** The status as it reads. */
  readonly statuses?: ReadonlyArray<Run.Status>
  readonly holds?: ReadonlyArray<HoldReason>
  /** The code of a failure of one of its attempts, as `codeOf` counts it. */
  readonly errorCodes?: ReadonlyArray<string>
  /** The category of a failure of one of its attempts. */
  readonly errorCategories?: ReadonlyArray<string>
  /** The sub-type of a failure of one of its attempts. */
  readonly errorSubTypes?: ReadonlyArray<string>
  /** Referring to one of these credentials, by their permissioned user id. */
  readonly credentials?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly references?: ReadonlyArray<string>
  readonly triggers?: ReadonlyArray<Run.Trigger>
  /** Whether it has a warning. */
  readonly hasWarnings?: boolean
  /** Text in its input, its output or its failures, in any case: see `contains`. */
  readonly text?: string
  /** Submitted at or after. */
  readonly from?: number
  /** A waiting run satisfies `from` whatever its age. */
  readonly waitingOfAnyAge?: boolean
  /** Submitted at or before. */
  readonly to?: number
}

/** How many characters (code points) of the JSON of an input, of an output and of the message of a failure are searched for a text. */
export const searchedCharacters = 16_384

/** How many runs, newest first, a page examines for a text. The next page continues after them. */
export const searchedRuns = 2_000

/** Why a waiting run has not started, the run window first. Empty for a run that does not wait, and during a retry's delay. */
export const holdsOf = (
  facts: Waits.Facts<Pick<Run.Run, "status" | "notBefore" | "errors" | "release">>
): ReadonlyArray<HoldReason> =>
  Waits.present(facts).flatMap(({ reason }) =>
    reason === "retry_delay" ? (lostBrowser(facts.run.errors) ? ["browser" as const] : []) : (holdOf[reason] ?? [])
  )

/** The reasons of lists for what a run waits for. */
const holdOf: { readonly [reason in Waits.WaitReason]?: HoldReason } = {
  run_window: "run_window",
  manual: "manual",
  credential: "credential",
  login: "credential",
  limit: "limit",
  pace: "capacity",
  capacity: "capacity"
}

/** Whether the last failure of a run was that of its browser. */
export const lostBrowser = (errors: Run.Run["errors"]): boolean => errors.at(-1)?.code?.startsWith("BROWSER-") === true

/** Whether a run satisfies a filter. */
export const matches = (filter: RunFilter, facts: Waits.Facts): boolean => {
  const { at, gate, run } = facts
  const isInTime =
    run.createdAt >= (filter.from ?? -Infinity) || (filter.waitingOfAnyAge === true && Run.isWaiting(run))
  return (
    isInTime &&
    run.createdAt <= (filter.to ?? Infinity) &&
    (filter.workflowIds?.includes(run.workflowId) ?? true) &&
    (filter.statuses?.includes(Run.statusAt(run, gate, at)) ?? true) &&
    some(filter.holds, () => holdsOf(facts)) &&
    some(filter.errorCodes, () => run.errors.map(codeOf)) &&
    some(filter.errorCategories, () => run.errors.map(({ category }) => category)) &&
    some(filter.errorSubTypes, () => run.errors.map(({ subType }) => subType)) &&
    some(filter.credentials, () => run.credentials.flatMap((one) => one.permissionedUserIds)) &&
    some(filter.tags, () => run.tags) &&
    some(filter.references, () => [run.options.reference]) &&
    (filter.triggers?.includes(run.trigger) ?? true) &&
    (filter.hasWarnings === undefined || filter.hasWarnings === run.warningCount > 0) &&
    (filter.text === undefined || contains(run, filter.text))
  )
}

const some = <A>(asked: ReadonlyArray<A> | undefined, present: () => ReadonlyArray<A | null | undefined>): boolean =>
  asked === undefined || present().some((one) => one != null && asked.includes(one))

/**
 * Whether the beginning of the JSON of the input or the output of a run contains a text, or the code or the message of one
 * of its failures does. Upper and lower case of the letters A to Z are the same, and the text is searched as JSON writes it.
 */
export const contains = (
  { data, errors, input }: Pick<Run.Run, "data" | "errors" | "input">,
  text: string
): boolean => {
  const searched = asSearched(text)
  const ofFailures = errors.flatMap(({ code, message }) => (code === null ? [message] : [code, message]))
  return [input, data, ...ofFailures].some((value) => folded(beginningOf(JSON.stringify(value))).includes(searched))
}

/** The part of a text that is searched. A character is a code point, as in databases, and not a UTF-16 unit. */
const beginningOf = (text: string): string => {
  if (text.length <= searchedCharacters) return text
  let end = 0
  for (let count = 0; count < searchedCharacters && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** A text as `contains` looks for it. */
export const asSearched = (text: string): string => folded(JSON.stringify(text).slice(1, -1))

const folded = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
