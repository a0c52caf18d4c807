import { Effect } from "effect"
import { defaultWaitMillis } from "../../workflow/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import * as Memory from "../Memory.ts"
import { type Action, next } from "../Step.ts"

/** Chooses an option of the one element that matches. */
export const inputSelect: Action<"INPUT_SELECT"> = Effect.fnUntraced(function* (
  { parameters },
  { memory, option, page }
) {
  const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
  const value = option ?? (yield* Memory.evaluateText(parameters.value, memory, page))
  yield* page
    .select({ selector, waitMillis: parameters.wait_time ?? defaultWaitMillis }, value, parameters.fuzzy_match === true)
    .pipe(Effect.mapError((failure) => ofPage(`choose "${value}" in`, failure)))
  return next
})
