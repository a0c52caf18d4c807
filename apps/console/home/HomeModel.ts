/** What Home shows, out of what the service answers. */
import type { RunListItem, RunWindowResponse } from "./Answers.ts"

/** How many runs of each workflow are in a list, most first. */
export const byWorkflow = (
  rows: ReadonlyArray<RunListItem>
): ReadonlyArray<{ readonly id: string; readonly count: number }> => {
  const counts = new Map<string, number>()
  for (const { workflow_id } of rows) counts.set(workflow_id, (counts.get(workflow_id) ?? 0) + 1)
  return [...counts].map(([id, count]) => ({ id, count })).toSorted((one, other) => other.count - one.count)
}

/** Why the runs of a workflow wait, in words, and which button ends it; `null` when nothing holds them any more. */
export const reasonOf = (
  gate: RunWindowResponse,
  words: (instant: string) => string,
  who: (user: string) => string
): { readonly text: string; readonly ends: "run_window" | "workflow" } | null => {
  if (gate.manual_pause !== null) {
    const { by, reason, until } = gate.manual_pause
    const text = `Paused by ${who(by)}${reason === "" ? "" : `: ${reason}`}${until === null ? "" : `, until ${words(until)}`}`
    return { text, ends: "workflow" }
  }
  if (gate.state === null || gate.state.open || gate.lift !== null) return null
  const { nextOpenAt } = gate.state
  const text =
    nextOpenAt === null ? "Its run window does not open within 400 days" : `Its run window opens ${words(nextOpenAt)}`
  return { text, ends: "run_window" }
}
