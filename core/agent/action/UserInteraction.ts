import { Effect } from "effect"
import * as OutputContract from "../../workflow/contract/OutputContract.ts"
import { defaultAnswerMillis } from "../../workflow/language/parameters/Control.ts"
import { StepFailed } from "../Failure.ts"
import type { Action } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"

/** Every subscriber is sent the message, and no person reads a longer one. */
const longestMessage = 4_000

/** Asks a person for data, and keeps the fields of the answer that the data model has. */
export const userInteraction: Action<"USER_INTERACTION", "navigation"> = Effect.fnUntraced(function* (
  { name, parameters },
  { ask, memory, page }
) {
  const schema = parameters.expected_datamodel
  const { secrets } = memory.credentials
  const timeoutMillis = parameters.timeout ?? defaultAnswerMillis
  const written = yield* Memory.evaluateText(parameters.server_message ?? "", memory, page, "hidden")
  const message = written === "" ? `The workflow needs an answer at "${name}" to continue` : written
  const given = yield* ask({ message: secrets.hideWithin(message, longestMessage), schema, timeoutMillis })
  if (given !== null) {
    const answer = OutputContract.project(schema, given)
    secrets.add(answer, "answer")
    return { _tag: "Answered", answer }
  }
  return yield* new StepFailed({
    code: "INTERACTION-E0001",
    sentence: `Cannot continue without an answer: none was given within ${timeoutMillis / 1_000} s`,
    original: `No answer was given within ${timeoutMillis / 1_000} s`
  })
})
