/**
 * Failed steps that a person may correct during the run: inputs that they cannot use, and options that a list does not
 * have.
 */
import { Effect, Option, Result } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as NodeExpressions from "../../workflow/language/graph/NodeExpressions.ts"
import type { StepFailed } from "../Failure.ts"
import type { Person } from "../Person.ts"
import type * as Memory from "../variables/Memory.ts"
import type { Choices } from "./RecoveryStrategy.ts"

/** How often a person is asked about one step before it fails for good. */
const mostQuestions = 3

interface CorrectionContext {
  readonly page: SessionParts<"elements">
  readonly person: Person
  readonly choices: Choices
}

/** Returns whether corrected inputs, or another option, could make a failed step succeed. */
export const isMendable = (node: Node, failure: StepFailed): boolean =>
  failure.code === "OPTION-E0001" || (failure.code === "TEMPLATE-E0001" && NodeExpressions.inputs(node).length > 0)

/**
 * Asks a person to correct a failed step, and repeats the step after each answer.
 *
 * It ends with the success of the step, with a failure that corrected inputs cannot fix, without an answer in time, or
 * after three questions; it returns the memory with the corrected inputs. An option that was chosen for all repetitions
 * of this failure is applied without asking.
 */
export const mend = Effect.fnUntraced(function* <A, E>(
  node: Node,
  first: StepFailed,
  memory: Memory.Memory,
  { choices, page, person }: CorrectionContext,
  again: (memory: Memory.Memory, option: string | null) => Effect.Effect<Result.Result<A, StepFailed>, E>
) {
  let known = memory
  let done: Result.Result<A, StepFailed> = Result.fail(first)
  let failure = first
  const fails = () => Result.isFailure(done) && isMendable(node, failure)
  const attempt = Effect.fnUntraced(function* (option: string | null) {
    done = yield* again(known, option)
    if (Result.isFailure(done)) failure = done.failure
  })

  /** The failure of the original step, which a chosen option corrects. */
  let missed = keyOf(node, first)
  const named = choices.get(missed)
  if (fails() && named !== undefined) yield* attempt(named)
  for (let asked = 0; asked < mostQuestions && fails(); asked++) {
    const shot = yield* Effect.option(page.elements.screenshot(null, { fullPage: false }))
    const correction = yield* person.correct({
      node,
      message: known.credentials.secrets.hide(failure.sentence),
      inputs: known.inputs,
      choosing: failure.code === "OPTION-E0001",
      ambiguous: (failure.alike ?? 0) > 1,
      shot: Option.getOrNull(shot)
    })
    if (correction === null || correction._tag === "action") break
    if (correction._tag === "inputs") {
      known = { ...known, inputs: correction.inputs }
      yield* attempt(null)
      missed = keyOf(node, failure)
    } else {
      yield* attempt(correction.option)
      if (correction.save && Result.isSuccess(done)) choices.set(missed, correction.option)
    }
  }
  return { done, memory: known }
})

const keyOf = (node: Node, failure: StepFailed): string => `${node.id} ${failure.sentence}`
