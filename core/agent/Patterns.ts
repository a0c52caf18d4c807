/**
 * The patterns of a step, judged in the sandbox before they are compiled: to judge one may take a second.
 */
import { Effect, Result } from "effect"
import * as SafePattern from "../workflow/language/expression/SafePattern.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"

/** Finds out what a pattern costs, so that it is checked and compiled at once from here on. */
export const judge = Effect.fnUntraced(function* (pattern: string) {
  if (SafePattern.isKnown(pattern)) return
  const found = yield* Sandbox.runHere("patternCost", { pattern }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ failure: message }))
  )
  SafePattern.note(pattern, "success" in found ? Result.succeed(found.success) : Result.fail(found.failure))
})
