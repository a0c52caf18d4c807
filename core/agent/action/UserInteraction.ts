import { Effect } from "effect"
import { defaultAnswerMillis } from "../../workflow/Action.ts"
import * as OutputContract from "../../workflow/OutputContract.ts"
import { StepFailed } from "../Failure.ts"
import * as Memory from "../Memory.ts"
import type { Action } from "../Step.ts"

/** No person reads more, and every subscriber is sent it. */
const longestMessage = 4_000

/** Asks a person for data, and keeps of the answer what the data model foresees. */
export const userInteraction: Action<"USER_INTERACTION"> = Effect.fnUntraced(function* (
  { name, parameters },
  { ask, memory, page }
) {
  const schema = parameters.expected_datamodel
  const timeoutMillis = parameters.timeout ?? defaultAnswerMillis
  const written = yield* Memory.evaluateText(parameters.server_message ?? "", memory, page)
  const message =
    written === "" ? `The workflow needs an answer at "${name}" to go on` : written.slice(0, longestMessage)
  const answer = yield* ask({ message, schema, timeoutMillis })
  if (answer !== null) return { _tag: "Answered", answer: OutputContract.project(schema, answer) }
  return yield* new StepFailed({
    code: "INTERACTION-E0001",
    sentence: parameters.error_message || "Cannot go on without an answer: nobody gave one in time",
    original: `Nobody answered within ${timeoutMillis / 1_000} s`
  })
})
