/**
 * The patterns of a step. The sandbox checks each before it is compiled, which may take a second.
 */
import { Effect, Result } from "effect"
import * as SafePattern from "../workflow/language/expression/SafePattern.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"

/** Checks a pattern in the sandbox, so that later uses of it in this process need no check. */
export const judge = Effect.fnUntraced(function* (pattern: string) {
  if (SafePattern.isKnown(pattern)) return
  const found = yield* Sandbox.runHere("patternCost", { pattern }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ failure: message }))
  )
  SafePattern.note(pattern, "success" in found ? Result.succeed(found.success) : Result.fail(found.failure))
})
