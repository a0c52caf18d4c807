/** The two actions that let the held runs of a workflow start, and what each will do, in words. */
import type * as Gates from "../../api/gate/GatesApi.ts"
import { type Count, counted } from "./Counts.ts"

/** What an action ends: the manual pause of a workflow, or the hold of its closed run window. */
export type PauseResource = "run_window" | "workflow"

/** The labels of the actions. */
export const unpauseWords: Readonly<Record<PauseResource, string>> = { workflow: "Unpause All", run_window: "Run now" }

/** What an action on one run alone is called. */
export const startOneWord = "Start this run"

type Gate = Pick<typeof Gates.RunWindowResponse.Type, "manual_pause" | "run_window" | "state">

/** What holds the runs of a workflow, as the actions that end it; none where nothing holds them. */
export const endings = ({ manual_pause, run_window, state }: Gate): ReadonlyArray<PauseResource> => [
  ...(manual_pause === null ? [] : ["workflow" as const]),
  // While a window is lifted, its state is open.
  ...(run_window !== null && state?.open === false ? ["run_window" as const] : [])
]

/** The held runs of a workflow, and how many of them each kind of hold stands on. */
export interface HeldRuns {
  readonly total: Count
  readonly holds: Readonly<Record<string, Count>>
}

/** How many of the held runs an action lets start, and how many the other kind of hold keeps. */
export const effectOf = (
  resource: PauseResource,
  { holds, total }: HeldRuns
): { readonly starts: Count; readonly stays: Count } => {
  const stays = holds[resource === "workflow" ? "run_window" : "manual"] ?? { count: 0, exact: true }
  return {
    starts: { count: Math.max(0, total.count - stays.count), exact: total.exact && stays.exact },
    stays
  }
}

/** What an action will do, as sentences: what ends, how many runs may start, and how many stay held by what. */
export const foretold = (
  resource: PauseResource,
  held: HeldRuns,
  gate: Gate,
  words: (instant: string) => string
): ReadonlyArray<string> => {
  const { starts, stays } = effectOf(resource, held)
  const opens = gate.state?.nextOpenAt ?? null
  const until = opens === null ? "until its next opening" : `until it opens at ${words(opens)}`
  const isPaused = gate.manual_pause !== null
  const first =
    resource === "workflow"
      ? "The manual pause of the workflow ends. No run window is lifted."
      : `The run window counts as open ${until}${isPaused ? "" : ": runs that are submitted before then start as well"}. A manual pause stays.`
  const kept = resource === "workflow" ? `by the run window, ${until}` : "by the pause of the workflow"
  return [
    first,
    starts.count === 0
      ? `No waiting run ${starts.exact ? "" : "that was counted "}may start by it.`
      : `${runs(starts)} may start.`,
    ...(stays.count === 0 ? [] : [`${runs(stays)} ${stays.count === 1 ? "stays" : "stay"} held ${kept}.`])
  ]
}

const runs = (count: Count): string => `${counted(count)} waiting ${count.count === 1 ? "run" : "runs"}`
