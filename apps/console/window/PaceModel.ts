/** The effect of typed limits of the pace on the waiting runs. */
import { partMillis } from "../../../core/gate/Pace.ts"
import { type Count, counted } from "../data/Counts.ts"
import { duration } from "../kit/Times.ts"

/** The time that the starts of the waiting runs take under a limit that is not saved yet. */
export const drainWords = (waiting: Count, startsPerMinute: number | null | string): string => {
  if (typeof startsPerMinute === "string") return "Some values cannot be read yet"
  if (waiting.count === 0) return "No run waits now: saving changes when later ones start"
  const runs = `${counted(waiting)} waiting ${waiting.count === 1 ? "run" : "runs"}`
  return startsPerMinute === null || waiting.count === 1
    ? `Saving lets ${runs} start as soon as ${waiting.count === 1 ? "it" : "they"} may`
    : `Saving spreads the starts of ${runs} over ${duration((waiting.count - 1) * partMillis(startsPerMinute))}${waiting.exact ? "" : " or more"}`
}
