/**
 * How a step of a flow fails.
 */
import { type Code, StepFailed } from "../Failure.ts"

/** Raised with the obstacle of a step. `API-E0001` is of the server, `API-E0002` of what it answered. */
export const refuse = (
  { id, label }: { readonly id: string; readonly label?: string | null },
  reason: string,
  code: Code = "API-E0002"
): StepFailed => {
  const named = label ? `"${id}" (${label.slice(0, 100)})` : `"${id}"`
  return new StepFailed({ code, sentence: `Cannot do the step ${named}: ${reason}`, original: reason })
}
