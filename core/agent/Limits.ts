/**
 * How far an execution may go.
 */
import { StepFailed } from "./Failure.ts"

/** How far a run may go, whatever its graph says. */
export interface Limits {
  readonly steps: number
  readonly millis: number
}

export const defaultLimits: Limits = { steps: 50_000, millis: 60 * 60_000 }

export const exceeded = (limits: Limits, steps: number, millis: number): StepFailed | null => {
  if (millis >= limits.millis) return tooLong(limits)
  if (steps <= limits.steps) return null
  return new StepFailed({
    code: "LIMIT-E0001",
    sentence: `Ended after ${limits.steps} steps, the most that a run may take`,
    original: null
  })
}

export const tooLong = (limits: Limits): StepFailed =>
  new StepFailed({
    code: "LIMIT-E0002",
    sentence: `Ended after ${limits.millis / 60_000} minutes, the longest that a run may take`,
    original: null
  })
