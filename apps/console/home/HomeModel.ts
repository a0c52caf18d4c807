/** What Home shows, out of what the service answers. */
import type * as Gates from "../../api/gate/GatesApi.ts"

type RunWindowResponse = typeof Gates.RunWindowResponse.Type

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
