/** Limits of the pace as they are typed, and what one means for the runs that wait. */
import { partMillis } from "../../../core/gate/Pace.ts"
import { duration } from "../kit/Times.ts"

/** The limit that was typed: a number, `null` for none, or what is wrong with it. */
export const limitFrom = (typed: string, most: number): number | null | string => {
  const text = typed.trim()
  if (text === "") return null
  const limit = Number(text)
  return /^\d+$/.test(text) && limit >= 1 && limit <= most
    ? limit
    : `Expected a whole number from 1 to ${most.toLocaleString("en")}, or nothing for any number`
}

/** How long the starts of waiting runs take by a limit, before it is saved. */
export const drainWords = (waiting: number, startsPerMinute: number | null | string): string => {
  if (typeof startsPerMinute === "string") return "Some values cannot be read yet"
  if (waiting === 0) return "No run waits now: saving changes when later ones start"
  const runs = `${waiting.toLocaleString("en")} waiting ${waiting === 1 ? "run" : "runs"}`
  return startsPerMinute === null
    ? `Saving lets ${runs} start as soon as they may`
    : `Saving spreads the starts of ${runs} over ${duration((waiting - 1) * partMillis(startsPerMinute))}`
}
