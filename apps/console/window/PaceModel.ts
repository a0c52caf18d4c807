/** Typed limits of the pace, and their effect on the waiting runs. */
import { partMillis } from "../../../core/gate/Pace.ts"
import { type Count, counted } from "../data/Counts.ts"
import { duration } from "../kit/Times.ts"

/** A typed limit: a number, `null` for none, or the problem as a text. */
export const limitFrom = (typed: string, most: number): number | null | string => {
  const text = typed.trim()
  if (text === "") return null
  const limit = Number(text)
  return /^\d+$/.test(text) && limit >= 1 && limit <= most
    ? limit
    : `Expected a whole number from 1 to ${most.toLocaleString("en")}, or nothing for any number`
}

/** The time that the starts of the waiting runs take under a limit that is not saved yet. */
export const drainWords = (waiting: Count, startsPerMinute: number | null | string): string => {
  if (typeof startsPerMinute === "string") return "Some values cannot be read yet"
  if (waiting.count === 0) return "No run waits now: saving changes when later ones start"
  const runs = `${counted(waiting)} waiting ${waiting.count === 1 ? "run" : "runs"}`
  return startsPerMinute === null || waiting.count === 1
    ? `Saving lets ${runs} start as soon as ${waiting.count === 1 ? "it" : "they"} may`
    : `Saving spreads the starts of ${runs} over ${duration((waiting.count - 1) * partMillis(startsPerMinute))}${waiting.exact ? "" : " or more"}`
}
